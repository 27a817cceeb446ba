import { ToolwrightError } from "@toolwright/engine";
import type { GrepMatch } from "@toolwright/engine/ports";
import { readFile } from "./read-file.ts";
import { lineStarts } from "./slice-lines.ts";
import type { Workspace } from "./workspace.ts";

const mostLineLength = 1000;

/**
 * Reads the lines that were found, by path and number, with so many lines around each. `complete` is false when a file could not
 * be read: it is gone, or not for this call.
 */
export async function readMatches(
  workspace: Workspace,
  found: ReadonlyMap<string, readonly number[]>,
  context: number,
): Promise<{ readonly matches: readonly GrepMatch[]; readonly complete: boolean }> {
  const matches: GrepMatch[] = [];
  let complete = true;
  for (const [path, numbers] of found) {
    try {
      const { bytes } = await readFile(workspace, path);
      matches.push(...cutMatches(path, { content: bytes, numbers, context }));
    } catch (error) {
      if (!ToolwrightError.is(error)) throw error;
      complete = false;
    }
  }
  return { matches, complete };
}

interface FoundLines {
  readonly content: Buffer;
  readonly numbers: readonly number[];
  readonly context: number;
}

function cutMatches(path: string, { content, numbers, context }: FoundLines): GrepMatch[] {
  const text = readText(content);
  const starts = lineStarts(text);
  const line = (number: number) => cutLine(text.slice(starts[number - 1], starts[number] ?? text.length).replace(/\r?\n$/, ""));
  const lines = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, offset) => line(from + offset));
  return numbers
    .filter((number) => number <= starts.length)
    .map((number) => ({
      path,
      line: number,
      text: line(number),
      ...(context > 0 && {
        before: lines(Math.max(1, number - context), number - 1),
        after: lines(number + 1, Math.min(starts.length, number + context)),
      }),
    }));
}

/** As ripgrep reads it: a byte order mark says what is not UTF-8. */
function readText(content: Buffer): string {
  const [first, second] = content;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(content);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(content);
  return new TextDecoder().decode(content);
}

function cutLine(line: string): string {
  return line.length <= mostLineLength
    ? line
    : `${line.slice(0, mostLineLength).toWellFormed()} [${line.length - mostLineLength} more characters]`;
}
