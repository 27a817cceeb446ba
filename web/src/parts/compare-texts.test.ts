import { expect, test } from "vitest";
import { compareTexts, endsLikeWindows } from "./compare-texts.ts";

const lines = (count: number, from = 1) => Array.from({ length: count }, (_, index) => `${from + index}\n`).join("");
const told = (before: string | undefined, after: string | undefined) =>
  compareTexts(before, after).map(({ kind, lines: of }) => [kind, kind === "folded" ? of.length : of.join("")]);

test.each([
  { name: "a new file is added whole", before: undefined, after: "a\nb", hunks: [["added", "a\nb"]] },
  { name: "a file that goes is removed whole", before: "a\n", after: undefined, hunks: [["removed", "a\n"]] },
  { name: "an empty new file has no lines", before: undefined, after: "", hunks: [] },
  { name: "the same text is folded", before: lines(9), after: lines(9), hunks: [["folded", 9]] },
  {
    name: "three lines stay around a change",
    before: `${lines(20)}x\n${lines(20, 30)}`,
    after: `${lines(20)}y\n${lines(20, 30)}`,
    hunks: [
      ["folded", 17],
      ["same", lines(3, 18)],
      ["removed", "x\n"],
      ["added", "y\n"],
      ["same", lines(3, 30)],
      ["folded", 17],
    ],
  },
  {
    name: "one line is not folded",
    before: `a\n${lines(4)}x\n`,
    after: `b\n${lines(4)}y\n`,
    hunks: [
      ["removed", "a\n"],
      ["added", "b\n"],
      ["same", lines(4)],
      ["removed", "x\n"],
      ["added", "y\n"],
    ],
  },
  {
    name: "an end of the last line is a change",
    before: "a",
    after: "a\n",
    hunks: [
      ["removed", "a"],
      ["added", "a\n"],
    ],
  },
  {
    name: "so is another kind of line end",
    before: "a\n",
    after: "a\r\n",
    hunks: [
      ["removed", "a\n"],
      ["added", "a\r\n"],
    ],
  },
])("$name", ({ before, after, hunks }) => {
  expect(told(before, after)).toEqual(hunks);
});

test("texts that would take too long to compare are shown one in the place of the other, whole", () => {
  const text = (seed: number) => Array.from({ length: 60_000 }, (_, index) => `${(index * seed) % 7919}\n`).join("");
  const [before, after] = [text(31), text(57)];
  const told = compareTexts(before, after);
  const of = (kind: string) =>
    told
      .filter((hunk) => hunk.kind === kind)
      .flatMap((hunk) => hunk.lines)
      .join("");
  expect([of("removed"), of("added")]).toEqual([before, after]);
});

test.each([
  { texts: ["a\r\nb\r\n", "c"], is: true },
  { texts: ["a\r\nb\n"], is: false },
  { texts: ["a", undefined], is: false },
])("every line ends as on Windows: $texts", ({ texts, is }) => {
  expect(endsLikeWindows(...texts)).toBe(is);
});
