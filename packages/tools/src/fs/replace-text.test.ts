import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { explainMismatch } from "./explain-mismatch.ts";
import { replaceText } from "./replace-text.ts";

describe("replaceText", () => {
  const rows: [name: string, text: string, oldText: string, newText: string, expected: string, lines: number[]][] = [
    ["one place", "a\nb\nc\n", "b", "B", "a\nB\nc\n", [2]],
    ["several places with their lines", "x\ny x\n\nx", "x", "z", "z\ny z\n\nz", [1, 2, 4]],
    ["over several lines", "a\nb\nc\nd", "b\nc", "1\n2\n3", "a\n1\n2\n3\nd", [2]],
    ["CRLF is kept when the texts have LF", "a\r\nb\r\nc\r\n", "b\nc", "1\n2", "a\r\n1\r\n2\r\n", [2]],
    ["LF is kept when the texts have CRLF", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n", [1]],
    ["a stray CRLF in an LF file can be named", "a\r\nb\nc\nd\n", "a\r\nb", "ab", "ab\nc\nd\n", [1]],
    ["the rest of a mixed file stays", "a\r\nb\nc\nd\r\n", "c", "C", "a\r\nb\nC\nd\r\n", [3]],
    ["a byte order mark stays", "\ufeffa\nb\n", "a", "A", "\ufeffA\nb\n", [1]],
    ["replacement signs are plain text", "a", "a", "$& $1 $$", "$& $1 $$", [1]],
    ["places do not overlap", "aaa", "aa", "b", "ba", [1]],
    ["nothing found leaves the text", "a", "b", "c", "a", []],
  ];
  test.each(rows)("%s", (_, ...[text, oldText, newText, expected, lines]) => {
    expect(replaceText(text, oldText, newText)).toEqual({ text: expected, lines });
  });

  test("replacing back gives the old text, when the new one occurs nowhere else", () => {
    const parts = fc.array(fc.constantFrom("a", "b", "\n", "old"), { maxLength: 30 }).map((some) => some.join(""));
    fc.assert(
      fc.property(parts, (text) => {
        const there = replaceText(text, "old", "N");
        expect(there.lines).toHaveLength(text.split("old").length - 1);
        expect(replaceText(there.text, "N", "old").text).toBe(text);
      }),
    );
  });
});

describe("explainMismatch", () => {
  const file = "function one() {\n\treturn 1;\n}\n\nfunction twenty() {\n  return 20;\n}\n";
  test.each([
    [
      "other indentation is shown as it stands in the file",
      "  return 1;\n}",
      "at line 2 with other blanks. The file has exactly:\n\treturn 1;\n}",
    ],
    [
      "a typing error names the nearest line",
      "function twelve() {\n  return 20;",
      "1 of its 2 lines occur in the file. The nearest lines to",
    ],
    ["a nearest line comes with its number", "function twentyy() {", "  5: function twenty() {"],
    [
      "lines that exist elsewhere are counted",
      "\treturn 1;\n  return 20;",
      "2 of its 2 lines occur in the file. They do not follow each other",
    ],
    ["something else resembles nothing", "import zod", "Nothing in the file resembles: import zod"],
  ])("%s", (_, wanted, expected) => expect(explainMismatch(file, wanted)).toContain(expected));

  test("hostile blanks are explained in linear time", () => {
    const started = performance.now();
    explainMismatch(`a${" ".repeat(200_000)}b\n`.repeat(5), `x${" ".repeat(200_000)}y`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
