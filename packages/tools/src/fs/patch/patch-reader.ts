import type { Hunk, HunkLine } from "./patch.ts";

/** A patch that cannot be read. */
export class PatchError extends Error {}

/** The lines of a patch, one after the other. */
export class PatchReader {
  readonly #lines: readonly string[];
  #next = 0;
  readonly miscounted: number[] = [];

  constructor(patch: string) {
    // Line ends that every line has come from the way here; those that some have belong to the files.
    const lines = (patch.endsWith("\r\n") && !/(?<!\r)\n/.test(patch) ? patch.replaceAll("\r\n", "\n") : patch).split("\n");
    this.#lines = lines.at(-1) === "" ? lines.slice(0, -1) : lines;
  }

  get length(): number {
    return this.#lines.length;
  }

  /** Undefined at the end. */
  peek(ahead = 0): string | undefined {
    return this.#lines[this.#next + ahead];
  }

  take(): string {
    return this.#lines[this.#next++]!;
  }

  /** Number of the line that comes next, from 1. */
  get at(): number {
    return this.#next + 1;
  }

  fail(problem: string, at = this.at): never {
    throw new PatchError(`Line ${at} of the patch ${problem}`);
  }
}

/** `@@ -1,2 +3,4 @@ anything`, `@@ a line of the file`, `@@ ... @@` or `@@`. */
interface HunkHeader {
  readonly anchor?: string;
  readonly counts?: { readonly before: number; readonly old: number; readonly new: number };
}

export function readHunkHeader(line: string): HunkHeader {
  const numbers = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
  if (numbers) {
    const [, start, old = "1", added = "1"] = numbers;
    // A hunk without old lines names the line that it comes after.
    return { counts: { before: Number(start) - (old === "0" ? 0 : 1), old: Number(old), new: Number(added) } };
  }
  const anchor = line
    .slice(2)
    .replace(/ @@\s*$/, "")
    .trimEnd()
    .replace(/^ /, "");
  return /^(?:\s*|\.\.\.|…)$/.test(anchor) ? {} : { anchor };
}

const marks = new Map<string | undefined, HunkLine["mark"]>([
  [" ", "keep"],
  // Programs that tidy texts take away the blank of an empty line.
  [undefined, "keep"],
  ["\r", "keep"],
  ["-", "remove"],
  ["+", "add"],
]);

export interface HunkFormat {
  /** Whether the next line belongs to no hunk any more, whatever is counted. */
  readonly endsBefore: (reader: PatchReader, left: { readonly old: number; readonly new: number } | undefined) => boolean;
  /** Whether empty lines before what comes next belong to the hunk. */
  readonly keepsBlankEnd?: (reader: PatchReader) => boolean;
  /** What is known of a line end that the patch says nothing of. */
  readonly ended: boolean | undefined;
}

/** The lines of a hunk: as many as its header counts, or as many as there are. */
export function readHunkLines(reader: PatchReader, { counts }: HunkHeader, format: HunkFormat): HunkLine[] {
  const lines: HunkLine[] = [];
  const left = counts && { old: counts.old, new: counts.new };
  const header = reader.at - 1;
  let bare = 0;
  for (let line = reader.peek(); line !== undefined && !format.endsBefore(reader, left); line = reader.peek()) {
    if (line.startsWith("\\")) {
      const last = lines.pop();
      if (!last) reader.fail("speaks of a line end before the first line of its hunk.");
      lines.push({ ...last, ended: false });
    } else {
      const mark = marks.get(line[0]);
      if (!mark) reader.fail(`begins with neither a blank, "+" nor "-", so it is no line of a hunk: ${line.slice(0, 80)}`);
      lines.push({ mark, text: line[0] === "\r" ? line : line.slice(1), ended: format.ended });
      if (left && mark !== "add") left.old -= 1;
      if (left && mark !== "remove") left.new -= 1;
    }
    bare = line === "" ? bare + 1 : 0;
    reader.take();
  }
  if (left && (left.old !== 0 || left.new !== 0)) reader.miscounted.push(header);
  // Empty lines before the next header are for the eye, unless they are counted.
  return counts || format.keepsBlankEnd?.(reader) ? lines : lines.slice(0, lines.length - bare);
}

export function requireChange(hunk: Hunk): Hunk {
  if (hunk.lines.some(({ mark }) => mark !== "keep")) return hunk;
  throw new PatchError(`The hunk at line ${hunk.at} of the patch adds and removes nothing. Mark lines with "+" and "-", or leave it out.`);
}
