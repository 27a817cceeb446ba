import { visibleText } from "../api/client.ts";

/** A line with what a screen hides written out; it is moved in as it was. */
export function visibleLine(line: string): string {
  const blanks = /^ */.exec(line)?.[0] ?? "";
  return blanks + visibleText(line.slice(blanks.length));
}
