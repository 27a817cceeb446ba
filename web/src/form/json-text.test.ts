import { expect, test } from "vitest";
import { readJson } from "./json-text.ts";

test.each([
  { text: '{"a": 1}', read: { json: { a: 1 } } },
  { text: "null", read: { json: null } },
  { text: '{\n  "line": }', read: { problem: "This is not JSON in line 2, column 11: value expected." } },
  { text: '{"a": 1,}', read: { problem: "This is not JSON in line 1, column 9: property name expected." } },
  { text: '{"a": 1', read: { problem: "This is not JSON in line 1, column 8: close brace expected." } },
  { text: "// no\n1", read: { problem: "This is not JSON in line 1, column 1: invalid comment token." } },
  { text: "'a'", read: { problem: "This is not JSON in line 1, column 1: invalid symbol." } },
])("$text", ({ text, read }) => {
  expect(readJson(text)).toEqual(read);
});
