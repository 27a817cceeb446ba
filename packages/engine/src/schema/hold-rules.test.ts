import { describe, expect, test } from "vitest";
import { compileTenantTool } from "../catalogue/compile-tenant-tool.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import { zodFromJson } from "./zod-from-json.ts";

const name = { type: "string", minLength: 2 } as const;
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });

describe("a schema holds", () => {
  test.each<[rule: string, schema: JsonObject, right: readonly Json[], wrong: readonly Json[]]>([
    [
      "rules beside a reference",
      { ...object({ a: { $ref: "#/$defs/name", maxLength: 3 } }), $defs: { name } },
      [{ a: "abc" }],
      [{ a: "a" }, { a: "abcd" }],
    ],
    [
      "rules beside a reference to a reference",
      { ...object({ a: { $ref: "#/$defs/other", maxLength: 3 } }), $defs: { name, other: { $ref: "#/$defs/name" } } },
      [{ a: "abc" }],
      [{ a: "a" }, { a: "abcd" }],
    ],
    [
      "a stricter rule beside a reference",
      { ...object({ a: { $ref: "#/$defs/name", minLength: 3 } }), $defs: { name } },
      [{ a: "abc" }],
      [{ a: "ab" }],
    ],
    ["rules beside values", { type: "string", enum: ["a", "bb", "ccc"], minLength: 2, pattern: "^b" }, ["bb"], ["a", "ccc"]],
    ["a type beside values", { type: ["string", "integer"], enum: ["a", 1, 1.5, null, true] }, ["a", 1], [1.5, null, true]],
    ["a rule beside values of several types", { enum: ["a", "bb", 5], minLength: 2 }, ["bb", 5], ["a"]],
    ["a rule beside one value", { const: "bb", minLength: 2 }, ["bb"], ["b"]],
    ["rules in allOf", { type: "string", allOf: [{ minLength: 2 }, { maxLength: 3 }] }, ["ab"], ["a", "abcd"]],
    ["patterns in allOf", { type: "string", allOf: [{ pattern: "^a" }, { pattern: "b$" }] }, ["ab"], ["a", "b"]],
    [
      "members in allOf",
      { type: "object", allOf: [object({ a: name }, { required: ["a"] }), object({ b: name })] },
      [{ a: "ab" }],
      [{}, { a: "ab", b: "b" }],
    ],
    [
      "a closed object in allOf",
      { allOf: [object({ a: name }, { additionalProperties: false }), object({ b: name })] },
      [{ a: "ab" }],
      [{ b: "bb" }],
    ],
    [
      "a reference in allOf beside its own rules",
      { ...object({ a: { type: "string", allOf: [{ $ref: "#/$defs/name" }], maxLength: 3 } }), $defs: { name } },
      [{ a: "abc" }],
      [{ a: "a" }, { a: "abcd" }],
    ],
    ["rules in anyOf beside a type", { type: "string", anyOf: [{ minLength: 3 }, { pattern: "^x" }] }, ["abc", "x"], ["a"]],
    [
      "a closed object in allOf beside one with the same members",
      { allOf: [object({ a: name }, { additionalProperties: false }), object({ a: name })] },
      [{ a: "ab" }],
      [{ a: "ab", c: 1 }],
    ],
    [
      "a closed object behind a reference in allOf",
      { allOf: [{ $ref: "#/$defs/closed" }, object({ b: name })], $defs: { closed: object({ a: name }, { additionalProperties: false }) } },
      [{ a: "ab" }],
      [{ b: "bb" }, { c: 1 }],
    ],
    [
      "a closed object beside the only branch of anyOf",
      { ...object({ a: name }, { additionalProperties: false }), anyOf: [object({ a: name, b: name })] },
      [{ a: "ab" }],
      [{ a: "ab", b: "bb" }, { c: 1 }],
    ],
    [
      "names of members in allOf",
      { allOf: [object({}, { propertyNames: { maxLength: 1 } }), object({ aa: name })] },
      [{ a: "ab" }],
      [{ aa: "ab" }],
    ],
    [
      "defaults on both sides of allOf",
      {
        allOf: [
          object({ a: { type: "string", default: "x" } }),
          object({ b: { type: "string", default: "y" } }, { additionalProperties: true, propertyNames: { maxLength: 1 } }),
        ],
      },
      [{}],
      [{ a: 1 }],
    ],
    [
      "an object among values",
      object({ a: { enum: ["x", { b: 1 }, { b: { c: [1, null] } }] } }),
      [{ a: "x" }, { a: { b: 1 } }, { a: { b: { c: [1, null] } } }],
      [{ a: {} }, { a: { b: 2 } }, { a: { b: 1, c: 1 } }, { a: { b: { c: [1] } } }, { a: "y" }],
    ],
    ["a list as the value", object({ a: { const: [1, []] } }), [{ a: [1, []] }], [{ a: [1] }, { a: [1, [], 2] }, { a: [[], 1] }]],
    [
      "an object among values beside another schema",
      object({ a: { enum: [{ b: 1 }, { b: 2 }], anyOf: [object({ b: { type: "integer", maximum: 1 } })] } }),
      [{ a: { b: 1 } }],
      [{ a: { b: 2 } }],
    ],
    ["a member that is required and not described", object({ a: object({}, { required: ["b"] }) }), [{ a: { b: null } }], [{ a: {} }]],
    [
      "members of which one is required",
      object({ a: name, b: name }, { anyOf: [{ required: ["a"] }, { required: ["b"] }] }),
      [{ a: "ab" }, { b: "ab" }],
      [{}, { c: 1 }],
    ],
    [
      "members beside a closed reference",
      {
        ...object({ a: { $ref: "#/$defs/o", properties: { b: name } } }),
        $defs: { o: object({ c: name }, { additionalProperties: false }) },
      },
      [{ a: { c: "cc" } }],
      [{ a: { b: "bb" } }, { a: { c: "c" } }],
    ],
    ["letters of every script", { type: "string", pattern: "^\\p{L}+$" }, ["a", "é", "東"], ["1", "a b"]],
    ["letters among others", { type: "string", pattern: "^[\\p{L}\\p{Nd}_]+$" }, ["é1_"], ["p{L}"]],
    ["items that differ", { type: "array", items: { type: "string" }, uniqueItems: true }, [["a", "b"]], [["a", "a"]]],
  ])("%s", (_rule, schema, right, wrong) => {
    const zod = zodFromJson(schema);
    for (const value of right) expect(zod.safeParse(value).success, JSON.stringify(value)).toBe(true);
    for (const value of wrong) expect(zod.safeParse(value).success, JSON.stringify(value)).toBe(false);
  });
});

describe("a schema is refused with the place", () => {
  test.each<[rule: string, schema: JsonObject, place: string]>([
    ["values that no rule leaves", object({ a: { type: "string", enum: ["a"], minLength: 2 } }), "/properties/a"],
    ["rules without a type", object({ a: { minLength: 2 } }), "/properties/a"],
    ["rules without a type in a list", object({ a: { type: "array", items: { maximum: 2 } } }), "/properties/a/items"],
    ["conditions", object({ a: { type: "string", if: { minLength: 1 }, else: {} } }), "/properties/a"],
    ["members that depend on others", object({ a: name }, { dependentRequired: { a: ["b"] } }), "/"],
  ])("for %s", (_rule, schema, place) => {
    expect(() => zodFromJson(schema)).toThrow(`at ${place}: `);
  });
});

test("a tenant's tool holds uniqueItems as other rules, and shows it", () => {
  const row = {
    ...{ tool: "tags", title: "Tags", group: "own", description: "Takes tags, each once.", approval: "never_ask", instructions: "" },
    inputSchema: object({ tags: { type: "array", items: name, uniqueItems: true } }),
    outputSchema: object({}),
  };
  const input = compileTenantTool("acme", row as never).input({ tenant: "acme", agent: undefined, attributes: {} });
  expect(input.json).toMatchObject({ properties: { tags: { uniqueItems: true } } });
  expect(input.parse({ tags: ["aa", "bb"] })).toMatchObject({ ok: true });
  expect(input.parse({ tags: ["aa", "aa"] })).toMatchObject({ ok: false });
});
