import { hash } from "node:crypto";
import { quotePath } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { TextSlice } from "@toolwright/engine/ports";

export interface LineRange {
  readonly startLine?: number | null;
  readonly endLine?: number | null;
  readonly maxBytes?: number;
}

/** Version of a file: changes with its content and with nothing else. */
export function versionOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

/**
 * Cuts lines out of a file's content. Lines end with "\n" and keep their ends, so that the whole text is the whole file, byte for byte.
 * Throws `invalid_input` for a range that is none, and `not_a_file` for content that is not UTF-8 and would not survive being written back.
 */
export function sliceLines(bytes: Uint8Array, path: string, range: LineRange): TextSlice {
  const start = range.startLine ?? 1;
  const end = range.endLine ?? Number.POSITIVE_INFINITY;
  if (!(start >= 1) || end < start)
    throw new ToolwrightError(
      "invalid_input",
      `Lines ${start} to ${end} are not a range; lines count from 1 and the end is not before the start.`,
    );
  const text = decode(bytes, path);
  const starts = lineStarts(text);
  const wanted = text.slice(starts[start - 1] ?? text.length, starts[end] ?? text.length);
  const kept = cutBytes(wanted, range.maxBytes ?? Number.POSITIVE_INFINITY);
  return { text: kept, lines: starts.length, truncated: kept.length < wanted.length, version: versionOf(bytes) };
}

/** Offsets at which lines begin. A last line feed ends a line and begins none. */
export function lineStarts(text: string): number[] {
  const starts: number[] = [];
  for (let at = 0; at < text.length; ) {
    starts.push(at);
    const feed = text.indexOf("\n", at);
    at = feed === -1 ? text.length : feed + 1;
  }
  return starts;
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolwrightError("not_a_file", `${quotePath(path)} is not UTF-8 text; read it as bytes.`);
  }
}

/** The longest beginning of at most so many UTF-8 bytes that does not end within a character. */
function cutBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const bytes = Buffer.from(text);
  let end = Math.max(0, Math.trunc(maxBytes));
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}
