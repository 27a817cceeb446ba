import fc from "fast-check";
import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.each([
  ["plain text stays", "git status --short\n\tüñ 漢字 ✓", "git status --short\n\tüñ 漢字 ✓"],
  ["an escape", "a\u001b[31mb", "a<U+001B>[31mb"],
  ["a carriage return that overwrites the line", "rm -rf x\rls", "rm -rf x<U+000D>ls"],
  ["a line end of Windows", "a\r\nb", "a\nb"],
  ["a bidirectional override", "a\u202eb", "a<U+202E>b"],
  ["a zero-width space", "a\u200bb", "a<U+200B>b"],
  ["a no-break space", "a\u00a0b", "a<U+00A0>b"],
  ["a tag character", "a\u{e0041}b", "a<U+E0041>b"],
  ["a blank letter", "a\u3164b", "a<U+3164>b"],
  ["a lone surrogate", "a\ud800b", "a<U+D800>b"],
  ["NUL", "a\0b", "a<U+0000>b"],
  ["4,000 blanks before the payload (chain-014)", `ls${" ".repeat(4000)}; rm x`, "ls<4000 spaces>; rm x"],
  ["a screen of line feeds before the payload", `ls${"\n".repeat(200)}rm x`, "ls\n<200 line feeds>\nrm x"],
])("R-AP-7 shows %s", (_, text, expected) => {
  expect(visibleText(text)).toBe(expected);
});

test("R-AP-7: whatever the text, what is shown has no character that a terminal obeys or hides", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(
        [...visibleText(text)].filter(
          (character) => character !== "\n" && character !== "\t" && /[\p{C}\p{Z}]/u.test(character) && character !== " ",
        ),
      ).toEqual([]);
    }),
  );
});
