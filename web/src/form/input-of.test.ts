import { expect, test } from "vitest";
import { inputOf } from "./input-of.ts";
import type { JsonSchema } from "./json-schema.ts";

const schema: JsonSchema = {
  type: "object",
  required: ["must", "list"],
  properties: {
    must: { type: "object", properties: {} },
    may: { type: "object", properties: { deep: { type: "object", properties: {} } } },
    list: { type: "array", items: {} },
    tags: { type: "array", items: { type: "string" } },
    pay: { oneOf: [{ type: "object", properties: { kind: { const: "card" }, digits: { type: "string" } } }] },
  },
};

test.each([
  { name: "nothing that nobody filled", data: { may: { deep: {} }, tags: [], gone: undefined }, sent: {} },
  { name: "false, zero and an empty text", data: { a: false, b: 0, c: "", d: null }, sent: { a: false, b: 0, c: "", d: null } },
  { name: "what must be there, though empty", data: { must: {}, list: [] }, sent: { must: {}, list: [] } },
  { name: "what somebody wrote as JSON", data: { tags: [], may: {} }, before: { tags: [], may: {} }, sent: { tags: [], may: {} } },
  { name: "no branch that nobody chose", data: { pay: { kind: "card" } }, sent: {} },
  { name: "a branch with a word of a person", data: { pay: { kind: "card", digits: "1" } }, sent: { pay: { kind: "card", digits: "1" } } },
  { name: "each item, in its place", data: { tags: ["a", undefined] }, sent: { tags: ["a", null] } },
])("sends $name", ({ data, before, sent }) => {
  expect(inputOf(data, schema, before)).toEqual(sent);
});
