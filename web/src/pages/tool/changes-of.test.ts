import { expect, test } from "vitest";
import { changesOf } from "./changes-of.ts";

const tool = (properties: object, required: readonly string[] = [], description = "Does it.") =>
  ({ inputSchema: { type: "object", properties, required }, description }) as unknown as Parameters<typeof changesOf>[0];
const text = { type: "string" };

test.each([
  { name: "nothing", after: tool({ a: text, b: text }), changes: [] },
  { name: "a field more and one less", after: tool({ a: text, c: text }), changes: ["new: c", "gone: b"] },
  { name: "another kind of field", after: tool({ a: { type: "number" }, b: text }), changes: ["changed: a"] },
  { name: "what must be filled", after: tool({ a: text, b: text }, ["b"]), changes: ["changed: b"] },
  { name: "its words", after: tool({ a: text, b: text }, [], "Does more."), changes: ["another description"] },
])("a tool changed: $name", ({ after, changes }) => {
  expect(changesOf(tool({ a: text, b: text }), after)).toEqual(changes);
});
