import { expect, test } from "vitest";
import { visibleLine } from "./visible-line.ts";

test.each([
  { name: "what a screen would hide is written out", line: "a\u200b- rm\u202e x", shown: "a<U+200B>- rm<U+202E> x" },
  { name: "a deep line stays as deep as it is", line: `${" ".repeat(12)}- x`, shown: `${" ".repeat(12)}- x` },
])("$name", ({ line, shown }) => expect(visibleLine(line)).toBe(shown));
