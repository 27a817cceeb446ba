import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../../contract/json.ts";
import { compileInput } from "../compile-schema.ts";
import { parseInput } from "../parse-input.ts";
import { compileJsonSchemaForTarget, type SchemaTarget, schemaTargets } from "./compile-for-target.ts";

const exceptions = ["no_untyped", "no_recursion"];
const compile = (member: z.ZodType) => compileInput(z.object({ m: member }), { tool: "t", exceptions });

function forMember(member: z.ZodType, target: SchemaTarget) {
  const { schema, losses } = compileJsonSchemaForTarget(compile(member).json, target);
  const inner = losses.filter(({ path }) => path !== "").map(({ path, keyword }) => `${path} ${keyword}`);
  return { schema: (schema.properties as { m: unknown }).m, required: schema.required, losses: inner };
}

const Node = z.object({
  name: z.string(),
  get parent() {
    return Node.nullish();
  },
});
const Tree = z.object({
  get leaves() {
    return z.array(Tree);
  },
});
const choice = z.discriminatedUnion("k", [z.object({ k: z.literal("a") }), z.object({ k: z.literal("b") })]);
const branch = (k: string) => ({
  type: "object",
  properties: { k: { type: "string", const: k } },
  required: ["k"],
  additionalProperties: false,
});
const pair = { type: "object", properties: { key: { type: "string" }, value: { type: "integer" } }, required: ["key", "value"] };
const strictPairs = {
  type: "array",
  description: "(an object as a list of its keys and values, each key once)",
  items: { ...pair, additionalProperties: false },
};

const node = { type: "object", required: ["name"], additionalProperties: false };
const innerNode = {
  anyOf: [{ type: "string", description: "(as JSON text, of the same form as the value that contains it)" }, { type: "null" }],
};

type Row = [name: string, member: z.ZodType, schema: unknown, ...losses: string[]];
const tables: Partial<Record<SchemaTarget, Row[]>> = {
  "openai-strict": [
    ["text lengths", z.string().min(2).describe("Name"), { type: "string", description: "Name (minLength: 2)" }, "/properties/m minLength"],
    ["number bounds", z.int().min(1), { type: "integer", minimum: 1 }],
    ["list bounds", z.array(z.int()).max(3), { type: "array", items: { type: "integer" }, maxItems: 3 }],
    ["an optional", z.string().nullish(), { type: ["string", "null"] }],
    ["an optional enum", z.enum(["x"]).nullish(), { type: ["string", "null"], enum: ["x", null] }],
    ["a default", z.int().default(3), { type: ["integer", "null"], description: "(default: 3)" }, "/properties/m default"],
    ["a known format", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["an unknown format", z.url(), { type: "string", description: "(format: uri)" }, "/properties/m format"],
    ["a plain pattern", z.string().regex(/^a+$/), { type: "string", pattern: "^a+$" }],
    ["look-around", z.string().regex(/(?=a)/), { type: "string", description: "(pattern: (?=a))" }, "/properties/m pattern"],
    ["a union", choice.nullable(), { anyOf: [branch("a"), branch("b"), { type: "null" }] }],
    ["a record", z.record(z.string(), z.int()), strictPairs],
    ["any value", z.any(), { type: "string", description: "(any value, as JSON text)" }, "/properties/m type"],
    ["recursion", z.array(Node), { type: "array", items: { $ref: "#/$defs/__schema0" } }],
  ],
  anthropic: [
    ["text lengths", z.string().min(2), { type: "string", description: "(minLength: 2)" }, "/properties/m minLength"],
    ["number bounds", z.int().min(1), { type: "integer", description: "(minimum: 1)" }, "/properties/m minimum"],
    ["a list of one or more", z.array(z.int()).min(1), { type: "array", items: { type: "integer" }, minItems: 1 }],
    [
      "a list of two or more",
      z.array(z.int()).min(2),
      { type: "array", items: { type: "integer" }, description: "(minItems: 2)" },
      "/properties/m minItems",
    ],
    ["a default", z.int().default(3), { type: "integer", default: 3 }],
    ["a known format", z.url(), { type: "string", format: "uri" }],
    ["word boundaries", z.string().regex(/\ba/), { type: "string", description: "(pattern: \\ba)" }, "/properties/m pattern"],
    ["a union", choice, { anyOf: [branch("a"), branch("b")] }],
    ["a record", z.record(z.string(), z.int()), strictPairs],
    [
      "recursion",
      Node.nullable(),
      { anyOf: [{ ...node, properties: { name: { type: "string" }, parent: innerNode } }, { type: "null" }] },
      "/properties/m/anyOf/0/properties/parent/anyOf/0 $ref",
    ],
  ],
  bedrock: [
    ["number bounds", z.int().min(1), { type: "integer", description: "(minimum: 1)" }, "/properties/m minimum"],
    ["a record", z.record(z.string(), z.int()), strictPairs],
  ],
  gemini: [
    ["text lengths", z.string().min(2), { type: "string", description: "(minLength: 2)" }, "/properties/m minLength"],
    ["a pattern", z.string().regex(/^a+$/), { type: "string", description: "(pattern: ^a+$)" }, "/properties/m pattern"],
    ["number bounds", z.int().min(1), { type: "integer", minimum: 1 }],
    ["list bounds", z.array(z.int()).max(3), { type: "array", items: { type: "integer" }, maxItems: 3 }],
    ["an optional", z.int().nullish(), { type: ["integer", "null"] }],
    ["an optional enum", z.enum(["x"]).nullish(), { anyOf: [{ type: "string", enum: ["x"] }, { type: "null" }] }],
    ["a literal text", z.literal("x"), { type: "string", enum: ["x"] }],
    ["a number enum", z.literal([1, 2]), { type: "number", enum: [1, 2] }],
    ["a boolean enum", z.literal(true), { type: "boolean", description: "(enum: [true])" }, "/properties/m enum"],
    ["two types", z.union([z.string(), z.int().min(1)]), { anyOf: [{ type: "string" }, { type: "integer", minimum: 1 }] }],
    [
      "values of two types",
      z.literal(["x", 1, null]),
      { anyOf: [{ type: "string", enum: ["x"] }, { type: "number", enum: [1] }, { type: "null" }] },
    ],
    ["a default", z.int().default(3), { type: "integer", description: "(default: 3)" }, "/properties/m default"],
    ["a known format", z.iso.datetime(), { type: "string", format: "date-time" }],
    ["a day", z.iso.date(), { type: "string", format: "date" }],
    ["an unknown format", z.url(), { type: "string", description: "(format: uri)" }, "/properties/m format"],
    ["an exclusive bound", z.number().gt(1), { type: "number", description: "(exclusiveMinimum: 1)" }, "/properties/m exclusiveMinimum"],
    [
      "a closed object",
      z.object({ a: z.int() }),
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false },
    ],
    ["an empty object", z.object({}), { type: "object", properties: {}, additionalProperties: false }],
    ["a record", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    ["a record of anything", z.record(z.string(), z.unknown()), { type: "object", additionalProperties: true }],
    [
      "a record with a rule for its names",
      z.record(z.string().regex(/^x/), z.int()),
      {
        type: "object",
        additionalProperties: { type: "integer" },
        description: '(propertyNames: {"pattern":"^x","type":"string"})',
      },
      "/properties/m propertyNames",
    ],
    [
      "named members and others",
      z.object({ a: z.int() }).catchall(z.string()),
      {
        type: "object",
        properties: { a: { type: "integer" } },
        required: ["a"],
        additionalProperties: { type: "string" },
      },
    ],
    ["any value", z.any(), { type: "string", description: "(any value, as JSON text)" }, "/properties/m type"],
    [
      "recursion in a member that is not required",
      z.object({ tree: Node.optional() }),
      {
        type: "object",
        properties: { tree: { $ref: "#/$defs/__schema0" } },
        additionalProperties: false,
      },
    ],
    [
      "recursion that begins in a required member",
      Node,
      {
        type: "object",
        properties: { name: { type: "string" }, parent: { anyOf: [{ $ref: "#/$defs/__schema0" }, { type: "null" }] } },
        required: ["name"],
        additionalProperties: false,
      },
    ],
    [
      "recursion in required members alone",
      Tree,
      {
        type: "object",
        properties: {
          leaves: {
            type: "array",
            items: { type: "string", description: "(as JSON text, of the same form as the value that contains it)" },
          },
        },
        required: ["leaves"],
        additionalProperties: false,
      },
      "/properties/m/properties/leaves/items $ref",
    ],
  ],
};

describe.each(Object.entries(tables))("%s says, or says that it cannot say", (target, rows) => {
  test.each(rows)("%s", (_, member, schema, ...losses) => {
    const compiled = forMember(member, target as SchemaTarget);
    expect(compiled.schema).toEqual(schema);
    expect(compiled.losses).toEqual(losses);
  });
});

describe.each(["openai", "mcp-2025-11-25"] as const)("%s: a tuple has items too, and takes the same values", (target) => {
  const [number, text] = [{ type: "number" }, { type: "string" }];
  test.each([
    ["of one kind", { prefixItems: [number, number], minItems: 2, maxItems: 2 }, { items: number, maxItems: 2 }],
    ["of two kinds", { prefixItems: [number, text], items: false }, { items: { anyOf: [number, text] }, maxItems: 2 }],
    ["that others may follow", { prefixItems: [number] }, { items: {} }],
    ["that others of a kind follow", { prefixItems: [number], items: text }, { items: text }],
    ["of draft 7", { items: [number, number], additionalItems: false }, { items: number, maxItems: 2 }],
  ])("%s", (_, tuple, expected) => {
    const schema = { type: "object", properties: { p: { type: "array", ...tuple } } };
    const { properties } = compileJsonSchemaForTarget(schema as JsonObject, target).schema as { properties: { p: object } };
    expect(properties.p).toMatchObject({ ...expected, prefixItems: expect.any(Array) });
  });
});

describe("gemini: a tuple stays a tuple", () => {
  const [number, text] = [{ type: "number" }, { type: "string" }];
  test.each([
    ["closed", { prefixItems: [number, text], items: false, minItems: 2 }, { prefixItems: [number, text], minItems: 2, maxItems: 2 }],
    ["that others may follow", { prefixItems: [number] }, { prefixItems: [number] }],
    ["that others of a kind follow", { prefixItems: [number], items: text }, { prefixItems: [number], items: text }],
  ])("%s", (_, tuple, expected) => {
    const schema = { type: "object", properties: { p: { type: "array", ...tuple } } };
    const { schema: written, losses } = compileJsonSchemaForTarget(schema as JsonObject, "gemini");
    expect(written.properties).toEqual({ p: { type: "array", ...expected } });
    expect(losses).toEqual([]);
  });
});

test("gemini: names that a pattern allows are of any of its values, and the patterns are said in words", () => {
  const m = { type: "object", patternProperties: { "^n": { type: "number" }, "^t": { type: "string" } }, additionalProperties: false };
  expect(compileJsonSchemaForTarget({ type: "object", properties: { m } }, "gemini").schema.properties).toEqual({
    m: {
      type: "object",
      additionalProperties: { anyOf: [{ type: "number" }, { type: "string" }] },
      description: '(patternProperties: {"^n":{"type":"number"},"^t":{"type":"string"}})',
    },
  });
});

test("openai: every member is required, and a null that it sends for an absent one is left out again", () => {
  const schema = compileInput(z.object({ a: z.string(), b: z.int().default(2), c: z.string().nullish() }), { tool: "t" });
  expect(compileJsonSchemaForTarget(schema.json, "openai-strict").schema.required).toEqual(["a", "b", "c"]);
  expect(parseInput(schema, { a: "x", b: null, c: null })).toMatchObject({ ok: true, value: { a: "x", b: 2, c: null } });
});

test("a record that was asked for as JSON text parses", () => {
  expect(parseInput(compile(z.record(z.string(), z.int())), { m: '{"a":1}' })).toMatchObject({ ok: true, value: { m: { a: 1 } } });
});

test("mcp takes the schema as it is", () => {
  const { json } = compile(z.record(z.string(), z.string().min(2)));
  expect(compileJsonSchemaForTarget(json, "mcp-2026-07-28")).toMatchObject({ schema: json, losses: [], rewrites: [] });
});

describe("what clients pass on as they got it", () => {
  const ask = z.enum(["x", "y"]);
  const row = { anyOf: [{ type: "string", enum: ["x", "y"] }, { type: "null" }] };
  test.each<[name: string, member: z.ZodType, schema: unknown, losses: string[]]>([
    ["an optional enum", ask.nullish().describe("Which."), { description: "Which.", ...row }, []],
    ["an enum with a default", ask.nullable().default("x"), { default: "x", ...row }, []],
    ["a literal with null", z.literal(["x", "y", null]), row, []],
    ["enums in a list", z.array(ask.nullable()), { type: "array", items: row }, []],
    ["look-behind", z.string().regex(/(?<=a)b/), { type: "string", description: "(pattern: (?<=a)b)" }, ["/properties/m pattern"]],
    [
      "a property",
      z
        .string()
        .regex(/^\p{L}+$/u)
        .nullish(),
      { type: ["string", "null"], description: "(pattern: ^\\p{L}+$)" },
      ["/properties/m pattern"],
    ],
    ["control characters", z.string().regex(/^\P{Cc}$/u), { type: "string", pattern: "^[^\\x00-\\x1f\\x7f-\\x9f]$" }, []],
    ["a flag", z.string().regex(/^a$/i).describe("One."), { type: "string", description: "One. (pattern: /^a$/i)" }, []],
    ["a dot for all", z.string().regex(/^.$/s), { type: "string", pattern: "^[\\s\\S]$" }, []],
    [
      "two patterns",
      z
        .string()
        .regex(/^\p{L}/u)
        .regex(/a$/),
      { type: "string", allOf: [{ description: "(pattern: ^\\p{L})" }, { pattern: "a$" }] },
      ["/properties/m/allOf/0 pattern"],
    ],
  ])("mcp: %s", (_, member, schema, losses) => {
    const compiled = forMember(member, "mcp-2026-07-28");
    expect(compiled.schema).toEqual(schema);
    expect(compiled.losses).toEqual(losses);
    const { jsonSchema } = compile(member).standard["~standard"];
    expect(jsonSchema.input({ target: "draft-2020-12" }).properties).toEqual({ m: schema });
  });

  test("gemini: no null is in an enum, however it got there", () => {
    const values = (list: string[]) => ({ anyOf: [{ type: "string", enum: list }, { type: "null" }] });
    expect(forMember(z.literal(["x", null]), "gemini").schema).toEqual(values(["x"]));
    expect(forMember(z.union([ask, z.null()]).describe("Which."), "gemini").schema).toEqual({
      description: "Which.",
      ...values(["x", "y"]),
    });
  });

  test("the tool itself still checks the whole pattern", () => {
    expect(compile(z.string().regex(/^(?!no)/)).parse({ m: "no" }).ok).toBe(false);
    expect(compile(z.string().regex(/^a$/i)).parse({ m: "A" }).ok).toBe(true);
    expect(compile(z.string().regex(/^\P{Cc}$/u)).parse({ m: "\0" }).ok).toBe(false);
  });
});

test("a schema beyond the sizes of strict mode says so", () => {
  const deep = (levels: number): z.ZodType => (levels === 0 ? z.string() : z.object({ inner: deep(levels - 1) }));
  expect(compileJsonSchemaForTarget(compile(deep(10)).json, "openai-strict").losses.map(({ reason }) => reason)).toEqual([
    "The schema has 11 levels of objects and strict mode accepts 10: send this tool without strict mode.",
  ]);
  expect(compileJsonSchemaForTarget(compile(deep(9)).json, "openai-strict").losses).toEqual([]);
});

test("the schema that goes in is not changed", () => {
  const { json } = compile(z.object({ a: choice.nullish(), b: z.string().min(2).default("xx") }));
  const before = JSON.stringify(json);
  for (const target of schemaTargets) compileJsonSchemaForTarget(json, target);
  expect(JSON.stringify(json)).toBe(before);
});
