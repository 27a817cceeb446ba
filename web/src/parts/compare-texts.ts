import { diffLines } from "diff";

/** Neighbouring lines of one fate; each ends with its line feed, but for a last line without one. */
export interface Hunk {
  readonly kind: "added" | "removed" | "same" | "folded";
  readonly lines: readonly string[];
}

/** Unchanged lines that stay in sight on each side of a change. */
const context = 3;
/** What does not end in this time is shown as one text in the place of the other. */
const timeoutMs = 400;

/** What changes between two texts, line by line; undefined stands for no text. Nothing that changes is left out. */
export function compareTexts(before = "", after = ""): readonly Hunk[] {
  if (before === after) return before === "" ? [] : [{ kind: "folded", lines: linesOf(before) }];
  const changes = diffLines(before, after, { timeout: timeoutMs }) ?? [
    { removed: true, added: false, value: before },
    { removed: false, added: true, value: after },
  ];
  const hunks = changes.map(
    ({ added, removed, value }) => ({ kind: added ? "added" : removed ? "removed" : "same", lines: linesOf(value) }) as const,
  );
  return hunks
    .flatMap((hunk, index) => (hunk.kind === "same" ? fold(hunk.lines, index === 0, index === hunks.length - 1) : [hunk]))
    .filter(({ lines }) => lines.length > 0);
}

function fold(lines: readonly string[], isFirst: boolean, isLast: boolean): readonly Hunk[] {
  const head = isFirst ? 0 : context;
  const tail = isLast ? 0 : context;
  // One line folded takes as much room as the line.
  if (lines.length <= head + tail + 1) return [{ kind: "same", lines }];
  return [
    { kind: "same", lines: lines.slice(0, head) },
    { kind: "folded", lines: lines.slice(head, lines.length - tail) },
    { kind: "same", lines: lines.slice(lines.length - tail) },
  ];
}

function linesOf(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** True where every line of both ends as on Windows, so that it need not be said of each. */
export function endsLikeWindows(...texts: readonly (string | undefined)[]): boolean {
  return texts.every((text = "") => !/(?<!\r)\n/.test(text)) && texts.some((text = "") => text.includes("\r\n"));
}
