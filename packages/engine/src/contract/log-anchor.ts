import { digest } from "./digest.ts";
import { ToolwrightError } from "./errors.ts";

export interface AnchoredHead {
  readonly tenant: string;
  readonly session: string;
  readonly sequence: number;
  readonly hash: string;
  /** The last event that retention had removed by then, or 0. Unknown in anchors of before. */
  readonly removed?: number;
}

/** Where every session stood at one time. Kept where the owner of the database cannot write, it shows what was cut off or written anew. */
export interface Anchor {
  readonly version: 1;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly heads: readonly AnchoredHead[];
  /** SHA-256 of all the rest. */
  readonly digest: string;
}

export function makeAnchor(at: number, heads: readonly AnchoredHead[]): Anchor {
  const body = { version: 1, at, heads } as const;
  return { ...body, digest: digest(body) };
}

/** Reads what `makeAnchor` gave, from JSON. Throws `invalid_input` for what is no anchor or was changed. */
export function parseAnchor(text: string): Anchor {
  const anchor = readJson(text) as Partial<Anchor> | undefined;
  if (anchor?.version !== 1 || !Array.isArray(anchor.heads) || typeof anchor.digest !== "string")
    throw new ToolwrightError("invalid_input", "The file is not an anchor of a log. Make one with toolwright log anchor.");
  const { digest: said, ...body } = anchor;
  if (digest(body) !== said)
    throw new ToolwrightError("invalid_input", "The anchor was changed or is damaged: its digest is another. Use an older copy of it.");
  return anchor as Anchor;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
