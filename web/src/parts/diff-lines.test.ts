import { expect, test } from "vitest";
import { linesOfDiff, visibleLine } from "./diff-lines.ts";

const signs = (before: string, after: string) => linesOfDiff(before, after).map(({ sign, text }) => `${sign}${text}`);

test("lines that came, went and stayed are told apart, whether or not the last one ends", () => {
  expect(signs("a\nb\nc\n", "a\nx\nc")).toEqual([" a", "-b", "+x", " c"]);
  expect(signs("", "a\n")).toEqual(["+a"]);
  expect(signs("a", "")).toEqual(["-a"]);
  expect(signs("a", "a\n")).toEqual([" a"]);
});

test("what a screen would hide is written out, and deep lines stay as deep as they are", () => {
  expect(signs("", `${" ".repeat(12)}- rm\u202e x\n`)).toEqual([`+${" ".repeat(12)}- rm<U+202E> x`]);
  expect(visibleLine("a\u200b")).toBe("a<U+200B>");
});
