import { expect, test } from "vitest";
import { placeOf, readText, writeText } from "./document-text.ts";

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
  ["tools:\n  deny: [a\n", 3, 1],
  ["tools:\n  deny: a\n  deny: b\n", 3, 3],
  ['{"tools": {"deny": ["a",,]}}', 1, 25],
  ["tools: !!set {a}\n", 1, 8],
  ["- a\n", 1, 1],
  ["just words", 1, 1],
])("%j is none, because of line %i, column %i", (text, line, column) => {
  const { document, marks } = readText(text);
  expect(document).toBeUndefined();
  expect(marks.every(({ from, to, level }) => from <= to && to <= text.length && level === "error")).toBe(true);
  expect(placeOf(text, marks[0]?.from ?? -1)).toEqual({ line, column });
});

test("a text that is too long is refused before it is read", () => {
  expect(readText(`a: ${"x".repeat(1 << 20)}`)).toMatchObject({
    document: undefined,
    marks: [{ message: expect.stringContaining("1 MiB") }],
  });
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
