import { UnreadableError } from "./document.ts";

/** Numbers from 1, as `1-3,7` and `12-`. */
export const selectionPattern = /^\s*\d{1,6}\s*(?:-\s*\d{0,6}\s*)?(?:,\s*\d{1,6}\s*(?:-\s*\d{0,6}\s*)?)*$/;

/** Which of `count` numbers a selection names, in their order, each once. Throws `no_such_part` for one that names none of them. */
export function readSelection(selection: string, { count, unit }: { readonly count: number; readonly unit: "page" | "cell" }): number[] {
  const chosen = new Set<number>();
  for (const range of selection.split(",")) {
    const [, begin = "", dash, end = ""] = /^\s*(\d+)\s*(?:(-)\s*(\d*))?\s*$/.exec(range) ?? [];
    const from = Number(begin);
    const to = dash === undefined ? from : end === "" ? count : Number(end);
    if (begin === "" || from === 0)
      throw new UnreadableError("no_such_part", `"${range.trim()}" names no ${unit}. Write numbers from 1, such as 1-3,7 or 12-.`);
    if (to < from && end !== "")
      throw new UnreadableError("no_such_part", `The range "${range.trim()}" runs backwards. Write ${to}-${from}.`);
    for (let number = from; number <= Math.min(to, count); number += 1) chosen.add(number);
  }
  if (chosen.size > 0) return [...chosen].sort((a, b) => a - b);
  const has = count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
  throw new UnreadableError("no_such_part", `The document has ${has}, and "${selection.trim()}" names none of them.`);
}

/** The shortest selection of numbers in order. */
export function writeSelection(numbers: readonly number[]): string {
  const ranges: [from: number, to: number][] = [];
  for (const number of numbers) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",");
}
