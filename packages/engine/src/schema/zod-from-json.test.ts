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
  ["of members by name", object({}, { patternProperties: { [evil]: { type: "number" } } }), { aa: "x" }, { aa: 1, [long]: "x" }],
  [
    "of members by name, and no others",
    object({ b: text }, { patternProperties: { [evil]: { type: "number" } }, additionalProperties: false }),
    { [long]: 1 },
    { aa: 1, b: "aa" },
  ],
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

test.each<[name: string, schema: JsonObject]>([
  ["names of members", object({}, { propertyNames: { pattern: evil } })],
  ["names of members, by reference", { ...object({}, { propertyNames: { $ref: "#/$defs/text" } }), $defs: { text } }],
  ["what a list has to hold", { type: "array", items: {}, contains: text }],
  ["what a list has to hold, deep within", { type: "array", items: {}, contains: object({ a: { anyOf: [text] } }) }],
])("a pattern of %s is refused, as nobody could hold it", (_name, schema) => {
  expect(() => zodFromJson(schema)).toThrow(/below "(?:propertyNames|contains)" cannot be held. Write it below .*\.$/);
});

test("what these keywords say without a pattern stays", () => {
  const zod = zodFromJson({ type: "array", items: text, contains: { const: "aa" } });
  expect(zod.safeParse(["a"]).success).toBe(false);
  expect(zod.safeParse(["a", "aa"]).success).toBe(true);
});

test("members that neither a name nor a pattern allows are named", () => {
  const zod = zodFromJson(object({ b: text }, { patternProperties: { "^x": {}, "^y": {} }, additionalProperties: false }));
  expect(zod.safeParse({ b: "a", x1: 1, y: 2, z: 3 }).error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["z"] }]);
});
