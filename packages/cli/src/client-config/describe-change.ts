import { visibleText } from "@toolwright/engine/ports";

/** The lines that an edit of one place takes out and puts in. Nothing beside them is shown: a configuration may hold secrets. */
export function describeChange(file: string, before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const gone = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const lines = [...gone.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  return [`${visibleText(file)}, line ${start + 1}:`, ...lines.map(visibleLine)].join("\n");
}

/** Indentation stays: the blanks that hide something are those in a line. */
function visibleLine(line: string): string {
  const [indented = ""] = /^[-+] [ \t]*/.exec(line) ?? [];
  return indented + visibleText(line.slice(indented.length));
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
