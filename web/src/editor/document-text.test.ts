import { expect, test } from "vitest";
import { readText, writeText } from "./document-text.ts";

test("what is written reads as the same document", () => {
  const document = {
    tools: { deny: ["http_request"] },
    rates: { act: "20/h" },
    agents: [{ id: "a", commands: { rules: [{ pattern: "git *" }] } }],
  };
  expect(readText(writeText(document))).toMatchObject({ document, marks: [], hasComments: false });
  expect(readText(JSON.stringify(document)).document).toEqual(document);
  expect(writeText({})).toBe("");
});

test.each([
  ["", {}],
  ["# nothing yet\n", {}],
  ["tools: {}\n", { tools: {} }],
])("%j is a document", (text, document) => {
  expect(readText(text).document).toEqual(document);
});

test.each([
  ["tools:\n  deny: [a\n", /^Line 3, column 1: /],
  ["tools:\n  deny: a\n  deny: b\n", /^Line 3, column 3: /],
  ['{"tools": {"deny": ["a",,]}}', /^Line 1, column \d+: /],
  ["tools: !!set {a}\n", /^Line 1, column 8: /],
  ["- a\n", /^Line 1, column 1: Write members/],
  ["just words", /^Line 1, column 1: Write members/],
])("%j is none, and says in which line and column", (text, message) => {
  const { document, marks } = readText(text);
  expect(document).toBeUndefined();
  expect(marks[0]).toMatchObject({ level: "error", message: expect.stringMatching(message) });
  expect(marks.every(({ from, to }) => from <= to && to <= text.length)).toBe(true);
});

test("a path is marked where it stands, and one that is not there where the nearest around it does", () => {
  const text = "tools:\n  deny:\n    - a\n    - b\ncommands: { rules: [{ pattern: x }] }\n";
  const { rangeOf } = readText(text);
  const marked = (path: readonly (string | number)[]) => {
    const { from, to } = rangeOf(path);
    return text.slice(from, to);
  };
  expect(marked(["tools", "deny", 1])).toBe("b");
  expect(marked(["tools", "ask"])).toBe("tools:");
  expect(marked(["commands", "rules", 0])).toBe("{ pattern: x }] }");
  expect(marked([])).toBe("tools:");
});

test("comments are noticed, since a document has no room for them", () => {
  expect(readText("tools: {} # why\n").hasComments).toBe(true);
  expect(readText("# first\ntools:\n  # inner\n  deny: [a]\n").hasComments).toBe(true);
  expect(readText('tools: { deny: ["#a"] }').hasComments).toBe(false);
});
