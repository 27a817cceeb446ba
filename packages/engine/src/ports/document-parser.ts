import type { Sharer } from "./fair-pool.ts";

export const documentKinds = ["pdf", "docx", "html", "markdown", "text", "csv", "notebook", "mail"] as const;
export type DocumentKind = (typeof documentKinds)[number];

export interface ParseLimits {
  /** Bytes of the file at most. Default 50,000,000. */
  readonly bytes: number;
  /** Read at once. Default 2,000. */
  readonly pages: number;
  /** Default 60,000. */
  readonly ms: number;
  /** Memory of the thread in MB, with what it holds outside of its heap. Default 512. */
  readonly memoryMb: number;
  /** Characters of the text of all parts at most. Default 20,000,000. */
  readonly characters: number;
  /** Unpacked bytes of a packed file at most. Default 200,000,000. */
  readonly unpackedBytes: number;
}

export interface ParseRequest {
  /** Name of the file: its ending says what kind it is where the content does not. */
  readonly name: string;
  /** Says it where the ending does not either. */
  readonly mediaType?: string | undefined;
  /** The encoding of a text, which is told or guessed without it. A byte order mark wins over it. */
  readonly encoding?: string | undefined;
  readonly bytes: Uint8Array;
  /** Pages from 1, as `1-3,7` or `12-`; all without it. */
  readonly pages?: string | undefined;
  /** Cells of a notebook from 1, as `1-3,7` or `12-`; all without it. */
  readonly cells?: string | undefined;
  /** Embedded pictures too, at most 4 of 1 MB. */
  readonly images?: boolean;
  /** Characters after which no further page or cell is read. */
  readonly enough?: number;
  readonly limits?: Partial<ParseLimits>;
  /** For whom it is read: few documents are read at once, and people share the places. */
  readonly sharer: Sharer;
  readonly signal: AbortSignal;
}

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
  /** True for a CSV table, whose first record names the columns of all others. */
  readonly isTable?: boolean;
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
  /** Pages of the parts that hold pictures or drawings and no text: scans. */
  readonly pagesWithoutText: readonly number[];
  /** Pages or cells that were asked for and not read, since there was enough. */
  readonly rest: readonly number[];
  readonly images: readonly DocumentImage[];
  /** What was left out or guessed, each as `What (count: where). What to do.` */
  readonly notes: readonly string[];
}

export const unreadableReasons = [
  ...(["empty", "encrypted", "damaged", "unknown_kind", "unknown_encoding", "no_such_part"] as const),
  ...(["too_large", "too_many_pages", "too_slow", "too_much_memory", "bomb"] as const),
] as const;
export type UnreadableReason = (typeof unreadableReasons)[number];

export interface DocumentParser {
  /**
   * Rejects with `document_unreadable`, whose `details.reason` is an UnreadableReason, and with `busy`. *Contract:* hostile bytes cost at most the limits, and hold up no
   * caller.
   */
  parse(request: ParseRequest): Promise<ParsedDocument>;
}
