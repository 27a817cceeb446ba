export const documentKinds = ["pdf", "docx", "html", "markdown", "text", "csv", "notebook"] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** A page, a cell, a section, or the whole where there is no smaller part. */
export interface DocumentPart {
  /** From 1. */
  readonly page?: number;
  /** From 1. */
  readonly cell?: number;
  /** Titles of the headings that it stands below, the outermost first. */
  readonly headings: readonly string[];
  /** Its first and its last line in the file, from 1; absent where the file has no lines. */
  readonly lines?: readonly [from: number, to: number];
  /** Markdown, or the text as it is; empty where a page has none. Cells of a row of a table stand between tabs or bars. */
  readonly text: string;
}

/** An embedded picture. */
export interface DocumentImage {
  readonly page?: number;
  readonly cell?: number;
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ParsedDocument {
  readonly kind: DocumentKind;
  readonly title?: string;
  /** Pages of the whole document, where it has pages. */
  readonly pages?: number;
  /** Cells of the whole document, where it has cells. */
  readonly cells?: number;
  readonly parts: readonly DocumentPart[];
  /** Pages of the parts that hold a picture and no text: scans. */
  readonly pagesWithoutText: readonly number[];
  /** Pages or cells that were asked for and not read, since `enough` was there. */
  readonly rest: readonly number[];
  readonly images: readonly DocumentImage[];
  /** What was left out or guessed, in sentences. */
  readonly notes: readonly string[];
}

export interface ParseLimits {
  /** Of the file. */
  readonly bytes: number;
  /** Read at once. */
  readonly pages: number;
  readonly ms: number;
  /** Of the thread, with what it holds outside of its heap. */
  readonly memoryMb: number;
  /** Of the text of all parts. */
  readonly characters: number;
  /** Of what a packed file holds. */
  readonly unpackedBytes: number;
}

export const usualLimits: ParseLimits = {
  ...{ bytes: 50_000_000, pages: 2_000, ms: 60_000, memoryMb: 512 },
  ...{ characters: 20_000_000, unpackedBytes: 200_000_000 },
};

/** What to read of a document. */
export interface ReadRequest {
  /** Of the file: its ending says what kind it is where the content does not. */
  readonly name: string;
  /** Pages from 1, as `1-3,7` or `12-`; all without it. */
  readonly pages?: string | undefined;
  /** The same for cells of a notebook. */
  readonly cells?: string | undefined;
  /** Embedded pictures, at most 4. */
  readonly images?: boolean;
  /** Characters after which no further page or cell is read. */
  readonly enough?: number;
}

export const unreadableReasons = [
  ...(["empty", "encrypted", "damaged", "unknown_kind", "no_such_part"] as const),
  ...(["too_large", "too_many_pages", "too_slow", "too_much_memory", "bomb"] as const),
] as const;
export type UnreadableReason = (typeof unreadableReasons)[number];

/** Why a document cannot be read, as it crosses from the thread. */
export interface Unreadable {
  readonly reason: UnreadableReason;
  /** What is wrong with the document and what to do. */
  readonly message: string;
}

/** Ends the reading of a document. */
export class UnreadableError extends Error {
  readonly unreadable: Unreadable;

  constructor(reason: UnreadableReason, message: string) {
    super(message);
    this.unreadable = { reason, message };
  }
}

export const tooLarge = (size: number, most: number) =>
  new UnreadableError("too_large", `The file has ${size} bytes, and a document may have ${most}. Split it first.`);
