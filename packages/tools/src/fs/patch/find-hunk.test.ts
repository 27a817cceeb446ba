import { describe, expect, test } from "vitest";
import { FileLines, findHunk, TooManySteps } from "./find-hunk.ts";
import type { Hunk } from "./patch.ts";

const hunkOf = (lines: readonly string[], more: Partial<Hunk> = {}): Hunk => ({
  at: 1,
  lines: lines.map((text) => ({ mark: "remove", text, ended: undefined })),
  anchors: [],
  before: undefined,
  atEnd: false,
  ...more,
});
const same = (count: number, line = "x") => Array.from<string>({ length: count }).fill(line);

describe("what finding a hunk costs, in lines that are looked at", () => {
  test.each<[name: string, hunk: (size: number) => Hunk]>([
    ["lines that are all equal", (size) => hunkOf(same(size / 2))],
    ["equal lines, and another at the end", (size) => hunkOf([...same(size / 2), "y"])],
    ["equal lines below an anchor that is equal, too", (size) => hunkOf(same(size / 2), { anchors: ["x", "x", "x"] })],
    ["equal lines that end where the file ends", (size) => hunkOf(same(size / 2), { atEnd: true })],
  ])("%s: no more than the lines of the file and the hunk, times a constant", (_name, hunk) => {
    for (const size of [1_000, 2_000, 4_000, 8_000, 64_000]) {
      const file = new FileLines(same(size).join("\n"));
      findHunk(file, hunk(size));
      expect(file.steps).toBeLessThan(16 * size);
    }
  });

  test("a hunk whose lines are rare costs its own lines alone", () => {
    const file = new FileLines(Array.from({ length: 10_000 }, (_, at) => `line ${at}`).join("\n"));
    expect(findHunk(file, hunkOf(["line 9000", "line 9001"]))).toEqual({ match: "exact", places: [9_000] });
    expect(file.steps).toBeLessThan(10);
  });

  test("hunks together cost no more than a budget", () => {
    const file = new FileLines(same(60_000).join("\n"));
    const hunk = hunkOf(["x", "x"]);
    expect(() => {
      for (let count = 0; count < 1_000; count += 1) findHunk(file, hunk);
    }).toThrow(TooManySteps);
    expect(file.steps).toBeLessThan(1_200_000);
  });
});
