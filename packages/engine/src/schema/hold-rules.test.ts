import Ajv from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { z } from "zod";
import { compileTenantTool } from "../catalogue/compile-tenant-tool.ts";
import type { Json, JsonObject } from "../contract/json.ts";
import { copySchema } from "./copy-schema.ts";
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
      "one of several forms that is closed, beside a reference",
      {
        ...object({ a: name }),
        anyOf: [{ $ref: "#/$defs/text" }, object({ b: name }, { additionalProperties: false })],
        $defs: { text: name },
      },
      [{}, { b: "bb" }],
      [{ a: "ab" }, { c: 1 }],
    ],
    [
      "a closed form within another of several forms",
      {
        allOf: [object({ a: name }), { anyOf: [{ $ref: "#/$defs/text" }, { allOf: [{ $ref: "#/$defs/forms" }, object({ b: name })] }] }],
        $defs: { text: name, forms: { anyOf: [name, object({ b: name }, { additionalProperties: false })] } },
      },
      [{}, { b: "bb" }],
      [{ a: "ab" }, { a: "ab", b: "bb" }],
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
      "a member that is required, and described with all others",
      object({}, { required: ["b"], additionalProperties: { type: "integer" } }),
      [{ b: 1 }],
      [{}, { b: "x" }, { b: 1, c: "x" }],
    ],
    [
      "a member that is required, and described by a pattern",
      object({}, { required: ["b"], patternProperties: { "^b": { type: "integer" } }, additionalProperties: false }),
      [{ b: 1 }, { b: 1, bb: 2 }],
      [{}, { b: "x" }, { b: 1, c: 1 }],
    ],
    [
      "a member that is required in one of several forms, where no value may have it",
      { anyOf: [object({ a: name }, { required: ["b"], additionalProperties: false }), name] },
      ["ab"],
      [{}, { a: "ab" }, { a: "ab", b: 1 }],
    ],
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
    ["rules without a type", object({ a: { minLength: 2 } }), [{ a: "ab" }, { a: 1 }], [{ a: "a" }]],
    ["the length of a list without a rule for its items", { type: "array", maxItems: 1 }, [[1]], [[1, 2]]],
    [
      "several compositions without a type",
      { anyOf: [{ type: "string" }], oneOf: [name], allOf: [{ type: "string", maxLength: 3 }] },
      ["abc"],
      ["a", "abcd", 1],
    ],
    ["letters of every script", { type: "string", pattern: "^\\p{L}+$" }, ["a", "é", "東"], ["1", "a b"]],
    ["letters among others", { type: "string", pattern: "^[\\p{L}\\p{Nd}_]+$" }, ["é1_"], ["p{L}"]],
    ["items that differ", { type: "array", items: { type: "string" }, uniqueItems: true }, [["a", "b"]], [["a", "a"]]],
  ])("%s", (_rule, schema, right, wrong) => {
    const zod = zodFromJson(schema);
    const [open, closed] = [false, true].map((isClosed) => copySchema(zod, { closed: isClosed }).schema);
    const takes = (held: z.ZodType | undefined, value: Json) => [value, held?.safeParse(value).success];
    for (const held of [zod, open]) {
      expect(right.map((value) => takes(held, value))).toEqual(right.map((value) => [value, true]));
      expect(wrong.map((value) => takes(held, value))).toEqual(wrong.map((value) => [value, false]));
    }
    expect(wrong.map((value) => takes(closed, value))).toEqual(wrong.map((value) => [value, false]));
  });
});

describe("a schema is refused with the place", () => {
  test.each<[rule: string, schema: JsonObject, place: string]>([
    ["values that no rule leaves", object({ a: { type: "string", enum: ["a"], minLength: 2 } }), "/properties/a"],
    ["conditions", object({ a: { type: "string", if: { minLength: 1 }, else: {} } }), "/properties/a"],
    [
      "what others hold than those with a pattern",
      object({ a: object({}, { patternProperties: { "^x": name }, additionalProperties: name }) }),
      "/properties/a",
    ],
    ["members that depend on others", object({ a: name }, { dependentRequired: { a: ["b"] } }), "/"],
  ])("for %s", (_rule, schema, place) => {
    expect(() => zodFromJson(schema)).toThrow(`at ${place}: `);
  });
});

const doubling = (rules: JsonObject): JsonObject => {
  const definition = (at: number): JsonObject => {
    const next = { $ref: `#/$defs/d${at + 1}`, ...rules };
    return at < 39 ? object({ x: next, y: next }) : object({});
  };
  const $defs = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`d${at}`, definition(at)]));
  return { ...object({ a: { $ref: "#/$defs/d0" } }), $defs };
};

test.each<[kind: string, schema: JsonObject]>([
  ["doubles with each of forty references", doubling({})],
  ["doubles with each of forty references beside rules", doubling({ minProperties: 1 })],
])("a schema that %s is refused before it is written in place", (_kind, schema) => {
  expect(() => zodFromJson(schema)).toThrow(/^at \/.*: the schema has more than 2000 parts/);
});

test("a schema that refers to itself beside rules is held", () => {
  const node = object({ x: { $ref: "#/$defs/node", minProperties: 1 } });
  const zod = zodFromJson({ ...object({ a: { $ref: "#/$defs/node", maxProperties: 2 } }), $defs: { node } });
  expect(zod.safeParse({ a: { x: { x: { y: 1 } } } }).success).toBe(true);
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

const aName = fc.constantFrom("a", "b", "c");
const small = fc.nat({ max: 2 });
const scalar = fc.constantFrom<Json>("", "a", "bb", "abb", 0, 1, 1.5, 2, true, null);
const listOf = (one: fc.Arbitrary<Json>) => fc.array(one, { maxLength: 3 });
const objectOf = (one: fc.Arbitrary<Json>) => fc.dictionary(aName, one, { maxKeys: 3, noNullPrototype: true });
const within = (one: fc.Arbitrary<Json>): fc.Arbitrary<Json> => fc.oneof(scalar, listOf(one), objectOf(one));
const anyOne = within(within(scalar));

/** Rules that may all be absent, beside what is there. */
const withRules = (there: JsonObject, rules: Readonly<Record<string, fc.Arbitrary<Json>>>): fc.Arbitrary<JsonObject> =>
  fc.record(rules, { requiredKeys: [] }).map((chosen) => ({ ...there, ...(chosen as JsonObject) }));

/** Schemas that are at most that deep, and refer to some of the others. */
function schemasOf(depth: number, references: readonly string[]): fc.Arbitrary<JsonObject> {
  const below = depth > 0 ? schemasOf(depth - 1, references) : fc.constant<JsonObject>({});
  const list: fc.Arbitrary<Json> = fc.array(below, { minLength: 1, maxLength: 2 });
  const compositions: Readonly<Record<string, fc.Arbitrary<Json>>> = depth > 0 ? { anyOf: list, oneOf: list, allOf: list } : {};
  const text = { minLength: small, maxLength: small, pattern: fc.constantFrom("^a", "b$") };
  return fc.oneof(
    withRules({ type: "string" }, { ...text, ...compositions }),
    withRules({ type: "integer" }, { minimum: small, maximum: small, ...compositions }),
    withRules({ type: ["string", "null"] }, { ...text, ...compositions }),
    fc.uniqueArray(anyOne, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }).map((all) => ({ enum: all })),
    fc
      .uniqueArray(scalar, { maxLength: 4 })
      .chain((all) => withRules({ enum: ["ab", ...all] }, { ...text, maxLength: fc.constant(2), ...compositions })),
    anyOne.map((one) => ({ const: one })),
    ...references.map((reference) => withRules({ $ref: reference }, { ...text, ...compositions })),
    withRules({ type: "array" }, { items: below, minItems: small, maxItems: small, uniqueItems: fc.boolean(), ...compositions }),
    withRules(
      { type: "object" },
      {
        properties: fc.dictionary(aName, below, { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(aName, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.boolean(), below),
        patternProperties: fc.dictionary(fc.constantFrom("^[ab]", "c$"), below, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
        ...compositions,
      },
    ),
  );
}

const schemas = fc
  .record({ root: schemasOf(2, ["#/$defs/a", "#/$defs/b"]), a: schemasOf(1, []), b: schemasOf(1, ["#/$defs/a"]) })
  .map(({ root, a, b }): JsonObject => ({ ...root, $defs: { a, b } }));

test("a schema is refused, or takes exactly the values that another validator takes", () => {
  const ajv = new Ajv.default({ strict: false, validateSchema: false, addUsedSchema: false });
  let held = 0;
  const law = fc.property(schemas, fc.array(anyOne, { minLength: 5, maxLength: 20 }), (schema, values) => {
    const zod = attempt(() => zodFromJson(schema));
    if (!zod) return;
    const copy = copySchema(zod, { closed: false }).schema;
    held += 1;
    const isValid = ajv.compile(schema);
    expect(values.map((value) => [value, zod.safeParse(value).success, copy.safeParse(value).success])).toEqual(
      values.map((value) => [value, isValid(value), isValid(value)]),
    );
  });
  fc.assert(law, { numRuns: 500 });
  expect(held).toBeGreaterThan(50);
});

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
