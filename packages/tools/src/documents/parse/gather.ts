import type { DocumentImage, DocumentPart, ParseLimits } from "@toolwright/engine/ports";
import { type ReadRequest, UnreadableError } from "./document.ts";
import { type DocumentNote, joinNotes, writeNote } from "./document-note.ts";

const mostImages = 4;
const mostImageBytes = 1_000_000;

/** Collects what is read of a document, within its limits. */
export class Gathering {
  readonly parts: DocumentPart[] = [];
  readonly images: DocumentImage[] = [];
  readonly #notes = new Map<string, DocumentNote[]>();
  readonly #options: Pick<ReadRequest, "enough" | "images"> & Pick<ParseLimits, "characters">;
  #characters = 0;
  #leftOut = 0;

  constructor(options: Pick<ReadRequest, "enough" | "images"> & Pick<ParseLimits, "characters">) {
    this.#options = options;
  }

  get hasEnough(): boolean {
    return this.#characters >= (this.#options.enough ?? Number.POSITIVE_INFINITY);
  }

  get wantsImages(): boolean {
    return this.#options.images === true;
  }

  /** Throws `too_large`. */
  add(part: DocumentPart): void {
    this.#characters += part.text.length;
    const { characters } = this.#options;
    if (this.#characters > characters)
      throw new UnreadableError(
        "too_large",
        `The document has more than ${characters} characters of text. Read a part of it: split the file first.`,
      );
    this.parts.push(part);
  }

  /** Keeps a picture where there is room. */
  show(image: DocumentImage): void {
    if (this.images.length < mostImages && image.bytes.length <= mostImageBytes) this.images.push(image);
    else this.#leftOut += 1;
  }

  /** Keeps a note. What is lost in several places is one note: counts are added, and places listed together. */
  note(note: DocumentNote): void {
    const alike = this.#notes.get(note.what);
    if (alike) alike.push(note);
    else this.#notes.set(note.what, [note]);
  }

  get notes(): readonly string[] {
    return Array.from(this.#notes.values(), (alike) => writeNote(joinNotes(alike)));
  }

  /** What could not be told before the end. */
  close(): void {
    if (this.#leftOut === 0) return;
    const what = `Pictures are left out: an answer holds at most ${mostImages} of 1 MB`;
    this.note({ what, count: this.#leftOut, advice: "Name fewer pages or cells to see others." });
  }
}
