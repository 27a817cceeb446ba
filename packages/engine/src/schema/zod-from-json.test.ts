import { expect, test } from "vitest";
import type { JsonObject } from "../contract/json.ts";
import { patternSteps } from "./linear-pattern.ts";
import { zodFromJson } from "./zod-from-json.ts";

const evil = "^(a+)+$";
const text = { type: "string", pattern: evil } as const;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const long = `${"a".repeat(2_000)}!`;

test.each<[name: string, schema: JsonObject, wrong: unknown, right: unknown]>([
  ["of a member", object({ a: text }), { a: long }, { a: "aa" }],
  ["of items", { type: "array", items: text }, [long], ["aa"]],
  ["of an item by place", { type: "array", prefixItems: [text] }, [long], ["aa"]],
  ["of other members", object({}, { additionalProperties: text }), { b: long }, { b: "aa" }],
  ["of names", object({}, { propertyNames: { pattern: evil } }), { [long]: 1 }, { aa: 1 }],
  ["of members by name", object({}, { patternProperties: { [evil]: { type: "number" } } }), { aa: "x" }, { aa: 1, [long]: "x" }],
  [
    "of members by name, and no others",
    object({ b: text }, { patternProperties: { [evil]: { type: "number" } }, additionalProperties: false }),
    { [long]: 1 },
    { aa: 1, b: "aa" },
  ],
  ["of what a list has to hold", { type: "array", items: {}, contains: text }, [long], [1, "aa"]],
  ["of one of several forms", { anyOf: [text, { type: "number" }] }, long, 1],
  ["of exactly one of several forms", { oneOf: [text, { type: "number" }] }, long, "aa"],
  ["of all of several forms", { allOf: [text, { type: "string", maxLength: 9_000 }] }, long, "aa"],
  ["of a text that may be missing", object({ a: { ...text, type: ["string", "null"] } }), { a: long }, { a: null }],
  ["of a reference", { ...object({ a: { $ref: "#/$defs/text" } }), $defs: { text } }, { a: long }, { a: "aa" }],
  [
    "of a reference to itself",
    { ...object({ a: { $ref: "#/$defs/node" } }), $defs: { node: object({ name: text, next: { $ref: "#/$defs/node" } }) } },
    { a: { next: { name: long } } },
    { a: { next: { name: "aa" } } },
  ],
  ["with a default", object({ a: { ...text, default: "a" } }), { a: long }, {}],
])("a pattern %s takes linear time", async (_name, schema, wrong, right) => {
  await Promise.resolve();
  const zod = zodFromJson(schema);
  expect(zod.safeParse(wrong).success).toBe(false);
  expect(zod.safeParse(right).success).toBe(true);
  expect(patternSteps()).toBeGreaterThan(0);
  expect(patternSteps()).toBeLessThan(20 * long.length);
});

test("a pattern that cannot be held is refused with the reason and what to do", () => {
  expect(() => zodFromJson(object({ a: { type: "string", pattern: "^(?=a)" } }))).toThrow(
    'the pattern "^(?=a)" looks ahead or behind. Say it with several patterns in allOf, or check it where the tool runs.',
  );
});

test("what others make of RegExp is as before, also after a schema that is refused", () => {
  const before = RegExp;
  expect(() => zodFromJson(object({ a: { ...text, not: { type: "string" } } }))).toThrow(/not is not supported/);
  expect(RegExp).toBe(before);
  expect(/a/g.exec("ba")?.index).toBe(1);
});
