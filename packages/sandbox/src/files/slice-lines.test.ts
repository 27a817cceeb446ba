import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LineRange, sliceLines, versionOf } from "./slice-lines.ts";

const slice = (text: string, range: LineRange = {}) => sliceLines(Buffer.from(text), "a.txt", range);

describe("sliceLines", () => {
  test.each<[string, string, LineRange, { text: string; lines: number; truncated: boolean }]>([
    ["the whole, byte for byte", "\ufeffa\r\nb\n", {}, { text: "\ufeffa\r\nb\n", lines: 2, truncated: false }],
    ["nothing of an empty file", "", {}, { text: "", lines: 0, truncated: false }],
    ["a last line without an end", "a\nb", { startLine: 2 }, { text: "b", lines: 2, truncated: false }],
    ["lines within", "a\nb\nc\nd\n", { startLine: 2, endLine: 3 }, { text: "b\nc\n", lines: 4, truncated: false }],
    ["nulls as no range", "a\nb\n", { startLine: null, endLine: null }, { text: "a\nb\n", lines: 2, truncated: false }],
    ["nothing beyond the end", "a\n", { startLine: 5 }, { text: "", lines: 1, truncated: false }],
    ["up to the end", "a\nb\n", { startLine: 2, endLine: 99 }, { text: "b\n", lines: 2, truncated: false }],
    ["whole characters when it cuts", "aé日", { maxBytes: 4 }, { text: "aé", lines: 1, truncated: true }],
    ["all when it fits exactly", "aé日", { maxBytes: 6 }, { text: "aé日", lines: 1, truncated: false }],
  ])("gives %s", (_, text, range, expected) => {
    expect(slice(text, range)).toEqual({ ...expected, version: versionOf(Buffer.from(text)) });
  });

  test.each<LineRange>([{ startLine: 0 }, { startLine: 3, endLine: 2 }, { startLine: Number.NaN }])("refuses the range %j", (range) => {
    expect(() => slice("a\n", range)).toThrow(expect.objectContaining({ code: "invalid_input" }));
  });

  test("refuses bytes that would not survive being written back", () => {
    expect(() => sliceLines(Buffer.from([0x61, 0xff]), "a.bin", {})).toThrow(expect.objectContaining({ code: "not_a_file" }));
  });

  test("consecutive ranges make up the whole", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "\n", "\r\n", "é", "")), fc.integer({ min: 1, max: 9 }), (letters, cut) => {
        const text = letters.join("");
        expect(slice(text, { endLine: cut }).text + slice(text, { startLine: cut + 1 }).text).toBe(text);
      }),
    );
  });
});
