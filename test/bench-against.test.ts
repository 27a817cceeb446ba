import { describe, expect, test } from "vitest";
import { compareRuns } from "../bench/against/compare-runs.ts";
import { readArguments } from "../bench/against/read-arguments.ts";

const known = ["exec", "invoke", "mcp-http"];

describe("npm run bench reads its command line", () => {
  test("benchmarks by name, and a commit to measure against", () => {
    expect(readArguments(["invoke", "exec", "--against", "HEAD~5", "--json"], known)).toEqual({
      ...{ names: ["invoke", "exec"], json: true, help: false, against: "HEAD~5" },
    });
    expect(readArguments([], known)).toEqual({ names: [], json: false, help: false, against: undefined });
  });
  test.each([
    [["inovke"], "There is no benchmark named inovke. There are: exec, invoke, mcp-http."],
    [["--against"], "--against"],
    [["--against=--upload-pack=x"], "--against takes a commit"],
    [["--agianst", "HEAD"], "--agianst"],
  ])("%j is a mistake", (args, words) => {
    expect(readArguments(args, known)).toEqual({ mistake: expect.stringContaining(words) });
  });
});

const runsOf = (unit: string, ...figures: readonly number[]) => figures.map((ours) => [{ name: "row", unit, ours }]);

describe("two builds compare by the medians of runs in turns", () => {
  test.each<
    [name: string, runs: { readonly unit: string; readonly now: readonly number[]; readonly before: readonly number[] }, expected: object]
  >([
    ["a time that grew by a fifth", { unit: "µs p50", now: [12, 12.2, 11.9], before: [10, 10.1, 9.9] }, { ratio: 1.2, isSlower: true }],
    ["a time that grew, but overlaps", { unit: "ms", now: [12, 12.2, 10], before: [10, 10.1, 9.9] }, { ratio: 1.2, isSlower: false }],
    ["a time that grew by a twentieth", { unit: "ms", now: [10.5, 10.6, 10.4], before: [10, 10.1, 9.9] }, { ratio: 1.05, isSlower: false }],
    ["a time that fell", { unit: "ms", now: [5, 5, 5], before: [10, 10, 10] }, { ratio: 0.5, isSlower: false }],
    ["a speed that fell by a fifth", { unit: "calls/s", now: [800, 810, 790], before: [1000, 1010, 990] }, { ratio: 1.25, isSlower: true }],
    ["a speed that rose", { unit: "calls/s", now: [2000, 2000, 2000], before: [1000, 1000, 1000] }, { ratio: 0.5, isSlower: false }],
  ])("%s", (_name, { unit, now, before }, expected) => {
    expect(compareRuns(runsOf(unit, ...now), runsOf(unit, ...before))).toEqual([
      expect.objectContaining({ name: "row", unit, ...expected }),
    ]);
  });
  test("the spread is that of runs that followed each other, and a row that one side lacks is left out", () => {
    expect(compareRuns(runsOf("ms", 10, 20, 12), runsOf("ms", 10, 10, 10))).toMatchObject([{ spread: [1, 2] }]);
    expect(compareRuns(runsOf("ms", 10), [[]])).toEqual([]);
  });
});
