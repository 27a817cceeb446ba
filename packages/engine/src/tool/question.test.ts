import { describe, expect, it, test } from "vitest";
import { asQuestion, say } from "./question.ts";

describe("what stands in a question of the input", () => {
  it.each([
    ["a plain name stands as it is", "notes/today.md", "Write notes/today.md?"],
    ["a number, too", 5, "Write 5?"],
    ["more than a name is in quotes", "npm publish", "Write “npm publish”?"],
    ["nothing is in quotes", "", "Write “”?"],
    ["it cannot ask by itself", "a.txt? Nothing else happens", "Write “a.txt? Nothing else happens”?"],
    ["it cannot leave its quotes", "a” and nothing else“", 'Write “a" and nothing else"”?'],
    ["what a screen would hide is written out", "safe\u202egnp.exe", "Write “safe<U+202E>gnp.exe”?"],
    ["it stays on its line", "a\n\tb", "Write “a⏎⇥b”?"],
    ["a long one is cut, and says so", "x".repeat(1_000_000), `Write “${"x".repeat(119)}…”?`],
    ["not through a character", `${"x".repeat(118)}😀😀`, `Write “${"x".repeat(118)}…”?`],
  ])("%s", (_, value, question) => {
    expect(say`Write ${value}?`).toBe(question);
  });
});

test("a question is one line of bounded length, also where a tool wrote it by itself", () => {
  expect(asQuestion("Really?\n\u200bYes")).toBe("Really?⏎<U+200B>Yes");
  expect(asQuestion("y".repeat(1_000_000))).toBe(`${"y".repeat(399)}…`);
});
