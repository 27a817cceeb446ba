import type { ParseLimits, ParseRequest, UnreadableReason } from "@toolwright/engine/ports";

export const usualLimits: ParseLimits = {
  ...{ bytes: 50_000_000, pages: 2_000, ms: 60_000, memoryMb: 512 },
  ...{ characters: 20_000_000, unpackedBytes: 200_000_000 },
};

/** What to read of a document. */
export type ReadRequest = Omit<ParseRequest, "bytes" | "limits" | "sharer" | "signal">;

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
