export const documentKinds = ["pdf", "docx", "html", "markdown", "text", "csv", "notebook"] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Defaults: 50 MB, 2,000 pages, 60 s, 512 MB, 20,000,000 characters, 200 MB unpacked. */
export interface ParseLimits {
  readonly bytes: number;
  readonly pages: number;
  readonly ms: number;
  readonly memoryMb: number;
  readonly characters: number;
  readonly unpackedBytes: number;
}

export interface ParseRequest {
  readonly name: string;
  readonly mediaType?: string;
  readonly bytes: Uint8Array;
  /** Pages or cells from 1, as `1-3,7`; all without it. */
  readonly select?: string;
  /** Also the images of these pages, as PNG or JPEG, at most 4 of 1 MB. */
  readonly images?: boolean;
  readonly limits?: Partial<ParseLimits>;
  readonly signal: AbortSignal;
}

/** A page, a cell, a section, or the whole where there is no smaller part. Lines count from 1 in the file, where it has lines. */
export interface DocumentPart {
  readonly page?: number;
  readonly cell?: number;
  readonly headings: readonly string[];
  readonly lines?: readonly [from: number, to: number];
  readonly text: string;
}

export interface ParsedDocument {
  readonly kind: DocumentKind;
  readonly title?: string;
  readonly pages?: number;
  readonly parts: readonly DocumentPart[];
  /** Scanned: they hold an image and no text. */
  readonly pagesWithoutText: readonly number[];
  readonly images: readonly { readonly page?: number; readonly mediaType: string; readonly bytes: Uint8Array }[];
  /** What was left out, in sentences. */
  readonly notes: readonly string[];
}

/**
 * Reads documents. Rejects with `document_unreadable`, whose `details.reason` is one of encrypted, damaged, unknown_kind, too_large,
 * too_many_pages, too_slow, too_much_memory, bomb. *Contract:* hostile bytes cost at most the limits, and hold up no caller.
 */
export interface DocumentParser {
  parse(request: ParseRequest): Promise<ParsedDocument>;
  close(): Promise<void>;
}
