import { type CallSite, type Failure, fail, isFailure } from "@toolwright/engine";
import { type BrowserFrame, type Clock, type Ids, pause } from "@toolwright/engine/ports";
import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import type { ChangedPage, FoundOnPage, PageAction, Screenshot, ShownPage } from "../browser-pages.ts";
import { askSurveyor, locate } from "../page/ask-surveyor.ts";
import { compareSnapshots } from "../page/compare-snapshots.ts";
import { hidePasswords } from "../page/hide-passwords.ts";
import { passwordsOf, type ReadPiece, readPiece, refsIn, type Snapshot, takeSnapshot, wholeOf } from "../page/take-snapshot.ts";
import { Downloads } from "./downloads.ts";
import { checkLocation, goTo, judgePage } from "./navigate.ts";
import { PageTabs } from "./page-tabs.ts";
import { performAction, type TakeSecret } from "./perform-action.ts";
import { readAtOneHost } from "./read-at-one-host.ts";
import { settle } from "./settle.ts";
import { ShownSnapshot } from "./shown-page.ts";

const waitMs = 20_000;
/** A page that was opened has begun; one that was acted on may first think. */
const beginMs = { opened: 20, acted: 200 };
const longestTitle = 200;
const titleMs = 2_000;
const frameMs = 5_000;
/** Pixels of the height of a page that one picture holds. */
const tallest = 8_000;
const viewport = { width: 1280, height: 800 };

export interface SessionParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly takeSecret: TakeSecret;
}

/** The context of one session: its pages, and what its caller was shown of them. */
export class BrowserSession {
  readonly openedAt: number;
  readonly #context: BrowserContext;
  readonly #parts: SessionParts;
  readonly #tabs: PageTabs;
  readonly #downloads: Downloads;
  /** Secrets that were typed: no snapshot of this session shows them, and no picture their fields. */
  readonly #secrets = new Map<string, { readonly frame: Frame; readonly token: number }>();
  readonly #permitted = new Set<string>();
  readonly #news: string[] = [];
  #shown: ShownSnapshot | undefined;

  constructor(context: BrowserContext, parts: SessionParts) {
    this.#context = context;
    this.#parts = parts;
    this.openedAt = parts.clock.now();
    this.#tabs = new PageTabs(context);
    this.#downloads = new Downloads(context);
  }

  /**
   * Hosts of the documents that an action may act on: none for a snapshot that is not the last one, of which `act` will do nothing; undefined for a
   * ref that nobody was shown.
   */
  hostsFor(snapshotId: unknown, ref: string | undefined): readonly string[] | undefined {
    return snapshotId === this.#shown?.id ? this.#shown?.hostsFor(ref) : [];
  }

  /** Whether a person has permitted to act on pages of the host. */
  permits(host: string): boolean {
    return this.#permitted.has(host);
  }

  async open(url: string, site: CallSite): Promise<ShownPage | Failure> {
    judgePage(url, site);
    const page = await this.#tabs.current();
    let failure: Failure | undefined;
    await settle({ page, clock: this.#parts.clock, signal: site.signal, beginMs: beginMs.opened }, async () => {
      failure = await goTo(page, url);
    });
    await this.#downloads.keep(site, this.#news);
    if (failure) return failure;
    return page.url() === "about:blank" ? this.#noPage(url) : this.#show(site);
  }

  /** The URL was a file. */
  #noPage(url: string): ShownPage {
    return { url, title: "", snapshot: "No page is open: the URL is a download.", snapshotId: "none", more: [], news: this.#takeNews() };
  }

  async snapshot({ ref, part }: { ref?: string | undefined; part?: number | undefined }, site: CallSite): Promise<ShownPage | Failure> {
    const page = this.#tabs.opened;
    await checkLocation(page);
    const shown = this.#shown;
    if (ref == null && part == null) return this.#show(site);
    if (!shown || shown.page !== page || shown.url !== page.url())
      return fail("stale_snapshot", "The page is another one than the last snapshot shows. Take a snapshot of the whole page first.");
    const place = ref == null ? shown.part(part as number) : await this.#startAt(shown, ref);
    if (isFailure(place)) return place;
    const snapshot = await takeSnapshot(place, { hidden: this.#hidden(site), partsBefore: shown.parts });
    return { ...(await this.#describe(page)), snapshot: snapshot.text, snapshotId: shown.id, more: shown.add(snapshot) };
  }

  async #startAt(shown: ShownSnapshot, ref: string): Promise<Parameters<typeof takeSnapshot>[0] | Failure> {
    const found = await shown.find(ref);
    if (isFailure(found)) return found;
    const { frame } = found.piece;
    return { frame, start: { token: await askSurveyor<number>(found.locator, { ask: "keep" }), from: 0, offset: 0 } };
  }

  async find(text: string, site: CallSite): Promise<FoundOnPage | Failure> {
    const page = this.#tabs.opened;
    await checkLocation(page);
    if (!this.#shown || this.#shown.page !== page || this.#shown.url !== page.url()) await this.#show(site);
    const shown = this.#shown as ShownSnapshot;
    const matches: string[] = [];
    let more = false;
    for (const frame of page.frames()) {
      const found = await askSurveyor<{ tokens: number[]; more: boolean }>(frame, { ask: "find", text }).catch(() => undefined);
      more ||= found?.more ?? false;
      const pieces = (found?.tokens ?? []).slice(0, 20 - matches.length).map((token): ReadPiece => ({ frame, token }));
      const texts = await Promise.all(pieces.map((piece) => readPiece(piece).catch(() => "")));
      for (const [index, whole] of texts.entries()) {
        const short = whole.slice(0, 1_500);
        if (short === "") continue;
        shown.add({ refs: new Map(refsIn(short).map((ref) => [ref, pieces[index] as ReadPiece])), rests: [] });
        matches.push(short);
      }
    }
    const hidden = [...this.#hidden(site), ...(await passwordsOf(page))];
    return { url: page.url(), matches: matches.map((match) => hidePasswords(match, hidden)), snapshotId: shown.id, more };
  }

  async act(action: PageAction, site: CallSite): Promise<ChangedPage | Failure> {
    const shown = this.#shown;
    if (!shown || action.snapshotId !== shown.id)
      return fail("stale_snapshot", "The snapshot that this names is not the last one. Take a new snapshot, and use its id and refs.");
    const { ref } = action;
    const host = shown.hostOf(ref);
    if (host === undefined) return fail("unknown_ref", `The last snapshot has no ref ${JSON.stringify(ref)}. Use one that it names.`);
    if (this.#tabs.opened !== shown.page || shown.url !== shown.page.url())
      return fail("stale_snapshot", "The page went elsewhere since the last snapshot. Take a new one.");
    const found = ref === undefined ? undefined : await shown.find(ref);
    if (isFailure(found)) return found;
    if (site.approved) this.#permitted.add(host);
    const { page } = shown;
    const { takeSecret, clock } = this.#parts;
    const typed = async (value: string, field: Locator) => {
      if (found && value !== "")
        this.#secrets.set(value, { frame: found.piece.frame, token: await askSurveyor<number>(field, { ask: "keep" }) });
    };
    let failure: Failure | undefined;
    await settle({ page, clock, signal: site.signal, beginMs: beginMs.acted }, async () => {
      failure = await performAction(action, {
        page,
        frame: found?.piece.frame ?? page.mainFrame(),
        locator: found?.locator,
        site,
        takeSecret,
        typed,
      });
    });
    return failure ?? this.#change(shown, site);
  }

  async wait({ text, gone }: { text?: string | undefined; gone?: string | undefined }, site: CallSite): Promise<ChangedPage | Failure> {
    const page = this.#tabs.opened;
    const before = this.#shown;
    const states = [
      [text, "visible"],
      [gone, "hidden"],
    ] as const;
    for (const [wanted, state] of states) {
      if (wanted === undefined) continue;
      const came = await page
        .getByText(wanted)
        .first()
        .waitFor({ state, timeout: waitMs })
        .then(() => true)
        .catch(() => false);
      const what = state === "visible" ? "did not appear" : "did not go away";
      if (!came)
        return fail(
          "not_there",
          `The text ${JSON.stringify(wanted)} ${what} within ${waitMs / 1000} seconds. Take a snapshot to see what is there.`,
        );
    }
    await settle({ page, clock: this.#parts.clock, signal: site.signal, beginMs: beginMs.acted }, async () => {});
    return this.#change(before, site);
  }

  async screenshot({ ref, full }: { ref?: string | undefined; full: boolean }, site: CallSite): Promise<Screenshot | Failure> {
    const page = this.#tabs.opened;
    await checkLocation(page);
    const found = ref === undefined ? undefined : await this.#shown?.find(ref);
    if (isFailure(found)) return found;
    if (ref !== undefined && !found) return fail("unknown_ref", "There is no snapshot yet. Take one, and use its refs.");
    const options = { type: "png", mask: this.#mask(), timeout: waitMs } as const;
    const clip = { x: 0, y: 0, width: viewport.width, height: tallest };
    const bytes = await (found
      ? found.locator.screenshot(options)
      : page.screenshot({ ...options, ...(full && { fullPage: true, clip }) }));
    const owner = { tenant: site.principal.tenant, session: site.session, callId: site.callId };
    const writer = await site.artifacts.create(owner, { name: "screenshot.png", mediaType: "image/png" });
    await writer.write(bytes);
    return { artifact: await writer.finish(), bytes, url: page.url() };
  }

  /** Undefined where nothing is open. */
  async where(): Promise<Pick<BrowserFrame, "url" | "title"> | undefined> {
    const page = this.#tabs.shown;
    return page && { url: page.url(), title: await this.#titleOf(page) };
  }

  /** For people who follow: what the page looks like now. */
  async frame(): Promise<BrowserFrame | undefined> {
    const page = this.#tabs.shown;
    const jpeg = await page?.screenshot({ type: "jpeg", quality: 60, mask: this.#mask(), timeout: frameMs }).catch(() => undefined);
    return page && jpeg && { jpeg, url: page.url(), title: await this.#titleOf(page) };
  }

  async close(): Promise<void> {
    await this.#context.close().catch(() => undefined);
  }

  /** Fields that a secret was typed into. */
  #mask(): Locator[] {
    return [...this.#secrets.values()].map(({ frame, token }) => locate(frame, { ask: "element", token }));
  }

  async #titleOf(page: Page): Promise<string> {
    // A page that is busy for ever does not tell.
    const title = await Promise.race([page.title().catch(() => ""), pause(titleMs, this.#parts.clock).then(() => "")]);
    return hidePasswords(title.slice(0, longestTitle), [...this.#secrets.keys()]);
  }

  /** Values that the call must not put out. */
  #hidden(site: CallSite): readonly string[] {
    const values = [...this.#secrets.keys()];
    for (const value of values) site.taint(value);
    return values;
  }

  async #take(site: CallSite): Promise<{ readonly page: Page; readonly snapshot: Snapshot }> {
    const page = this.#tabs.opened;
    const snapshot = await readAtOneHost(page, async () => {
      await checkLocation(page);
      return takeSnapshot(wholeOf(page), { hidden: this.#hidden(site) });
    });
    this.#shown = new ShownSnapshot(this.#parts.ids.next("snapshot"), page, snapshot);
    return { page, snapshot };
  }

  async #show(site: CallSite): Promise<ShownPage> {
    const { page, snapshot } = await this.#take(site);
    const shown = this.#shown as ShownSnapshot;
    const more = snapshot.rests.map(({ what }, index) => ({ part: index + 1, what }));
    return { ...(await this.#describe(page)), url: shown.url, snapshot: snapshot.text, snapshotId: shown.id, more };
  }

  async #describe(page: Page): Promise<Pick<ShownPage, "url" | "title" | "news">> {
    return { url: page.url(), title: await this.#titleOf(page), news: this.#takeNews() };
  }

  async #change(before: ShownSnapshot | undefined, site: CallSite): Promise<ChangedPage> {
    await this.#downloads.keep(site, this.#news);
    const { page, snapshot } = await this.#take(site);
    const isSame = before?.page === page && before.url === page.url();
    const changed = isSame ? compareSnapshots(before.text, snapshot.text) : snapshot.text;
    const { id, url } = this.#shown as ShownSnapshot;
    return { url, changed, snapshotId: id, dialog: this.#tabs.takeDialog(), news: this.#takeNews() };
  }

  /** What happened beside the page since a call was told last, in sentences. */
  #takeNews(): readonly string[] {
    return [...this.#tabs.takeNews(), ...this.#news.splice(0)];
  }
}
