import { type Failure, fail } from "@toolwright/engine";
import type { Locator, Page } from "playwright-core";
import type { MoreOfPage } from "../browser-pages.ts";
import { type ReadPiece, type RestOfPage, readPiece, refsIn, type Snapshot } from "../page/take-snapshot.ts";

/** What the caller was shown last: refs and parts are those of this. */
export class ShownSnapshot {
  readonly id: string;
  readonly page: Page;
  /** Address of the page as a whole. */
  readonly url: string;
  readonly text: string;
  readonly #refs = new Map<string, ReadPiece & { readonly host: string }>();
  readonly #rests: RestOfPage[] = [];

  constructor({ id, page, url }: Pick<ShownSnapshot, "id" | "page" | "url">, snapshot: Snapshot) {
    this.id = id;
    this.page = page;
    this.url = url;
    this.text = snapshot.text;
    this.add(snapshot);
  }

  /** More of the same page. Gives the numbers of its parts. */
  add({ refs, rests }: Pick<Snapshot, "refs" | "rests">): MoreOfPage[] {
    for (const [ref, piece] of refs) this.#refs.set(ref, { ...piece, host: hostOf(piece.frame.url()) });
    const first = this.#rests.length + 1;
    this.#rests.push(...rests);
    return rests.map(({ what }, index) => ({ part: first + index, what }));
  }

  get parts(): number {
    return this.#rests.length;
  }

  part(number: number): RestOfPage | Failure {
    return (
      this.#rests[number - 1] ??
      fail("unknown_part", `There is no part ${number}: the last snapshot names ${this.#rests.length} parts. Take a new snapshot.`)
    );
  }

  /** Host of the document that the ref stands in. */
  hostOf(ref: string | undefined): string | undefined {
    return ref === undefined ? hostOf(this.url) : this.#refs.get(ref)?.host;
  }

  /** Without a ref, any document of the page may have the focus. */
  hostsFor(ref: string | undefined): readonly string[] | undefined {
    const host = this.hostOf(ref);
    if (ref !== undefined || host === undefined) return host === undefined ? undefined : [host];
    return [...new Set([host, ...this.page.frames().map((frame) => hostOf(frame.url()))])].filter((each) => each !== "");
  }

  /** The element of a ref, if it is still what the caller was shown: its place is read again, which costs little. */
  async find(ref: string): Promise<{ readonly locator: Locator; readonly piece: ReadPiece } | Failure> {
    const piece = this.#refs.get(ref);
    if (!piece)
      return fail("unknown_ref", `The last snapshot has no ref ${JSON.stringify(ref)}. Use one that it names, or take a new one.`);
    const text = piece.host === hostOf(piece.frame.url()) ? await readPiece(piece, 2_000).catch(() => "") : "";
    if (refsIn(text).includes(ref)) return { locator: this.page.locator(`aria-ref=${ref}`), piece };
    return fail("stale_ref", `The element ${ref} is not on the page any more, or is another one now. Take a new snapshot.`);
  }
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}
