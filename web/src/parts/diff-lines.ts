import { diffLines } from "diff";
import { visibleText } from "../api/client.ts";

export type Sign = "+" | "-" | " ";

export interface DiffLine {
  readonly sign: Sign;
  readonly text: string;
}

/** The lines of both texts, each with whether it came or went. */
export function linesOfDiff(before: string, after: string): readonly DiffLine[] {
  return diffLines(ended(before), ended(after)).flatMap(({ value, added, removed }) => {
    const sign: Sign = added ? "+" : removed ? "-" : " ";
    return value
      .split("\n")
      .slice(0, -1)
      .map((text) => ({ sign, text: visibleLine(text) }));
  });
}

/** A line with what a screen hides written out; it is moved in as it was. */
export function visibleLine(line: string): string {
  const blanks = /^ */.exec(line)?.[0] ?? "";
  return blanks + visibleText(line.slice(blanks.length));
}

/** A last line without its end would differ from the same line before another one. */
const ended = (text: string) => (text === "" || text.endsWith("\n") ? text : `${text}\n`);
