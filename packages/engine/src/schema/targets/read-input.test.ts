import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../../contract/json.ts";
import { compileInput } from "../compile-schema.ts";
import { compileForTarget, compileJsonSchemaForTarget, type SchemaTarget, schemaTargets, sourcesOf } from "./compile-for-target.ts";

const compile = (member: Json, target: SchemaTarget = "openai-strict") =>
  compileJsonSchemaForTarget({ type: "object", properties: { m: member }, required: ["m"] }, target);
const record = { type: "object", additionalProperties: { type: "integer" } };

describe("what a model wrote comes back as the tool's input", () => {
  test.each<[name: string, member: JsonObject, sent: Json, input: Json]>([
    ["pairs are a record", record, [{ key: "a", value: 1 }], { a: 1 }],
    ["no pairs are an empty record", record, [], {}],
    ["a name of every object is a key like another", record, [{ key: "__proto__", value: 1 }], JSON.parse('{"__proto__":1}')],
    [
      "records of records",
      { type: "object", additionalProperties: record },
      [{ key: "a", value: [{ key: "b", value: 1 }] }],
      { a: { b: 1 } },
    ],
    [
      "pattern names are pairs",
      { type: "object", patternProperties: { "^x": { type: "string" } } },
      [{ key: "x1", value: "y" }],
      { x1: "y" },
    ],
    [
      "others beside named members",
      { type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: { type: "integer" } },
      { a: "x", other_members: [{ key: "b", value: 1 }] },
      { a: "x", b: 1 },
    ],
    [
      "null is absent",
      { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, required: ["b"] },
      { a: null, b: "x" },
      { b: "x" },
    ],
    [
      "null stays where it has to be",
      { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] },
      { a: null },
      { a: null },
    ],
    ["any value is JSON text", {}, '{"a":[1]}', { a: [1] }],
    ["text that is no JSON stays text", {}, "hello", "hello"],
    [
      "a tuple is a list",
      { type: "array", prefixItems: [{ type: "string" }, record], items: false },
      ["a", [{ key: "k", value: 1 }]],
      ["a", { k: 1 }],
    ],
    [
      "the branch that fits is read",
      {
        anyOf: [
          { type: "object", properties: { k: { const: "a" }, v: record }, required: ["k", "v"] },
          { type: "object", properties: { k: { const: "b" }, v: { type: "array", items: {} } }, required: ["k", "v"] },
        ],
      },
      { k: "a", v: [{ key: "x", value: 1 }] },
      { k: "a", v: { x: 1 } },
    ],
  ])("%s", (_, member, sent, input) => {
    const { readInput, writeInput } = compile(member);
    expect(readInput({ m: sent })).toEqual({ m: input });
    expect(readInput(JSON.parse(JSON.stringify(writeInput({ m: input }))))).toEqual({ m: input });
  });

  test("what is not of the form stays as it is, for the engine to repair or refuse", () => {
    const { readInput } = compile(record);
    for (const sent of [
      null,
      1,
      "x",
      [1],
      { m: { a: 1 } },
      {
        m: [
          { key: "a", value: 1 },
          { key: "a", value: 2 },
        ],
      },
      { m: [{ key: "a" }] },
    ])
      expect(readInput(sent)).toEqual(sent);
  });

  test("members with names that a provider refuses have an alias, the same in every process", () => {
    const schema = { type: "object", properties: { "rule_name[]": { type: "string" }, ["x".repeat(100)]: { type: "string" } } };
    const { schema: written, readInput, writeInput } = compileJsonSchemaForTarget(schema, "anthropic");
    const aliases = Object.keys(written.properties as object);
    expect(aliases).toEqual(["rule_name___3b2a34dd", `${"x".repeat(55)}_${aliases[1]?.slice(56)}`]);
    expect(writeInput({ "rule_name[]": "a" })).toEqual({ [aliases[0]!]: "a" });
    expect(readInput({ [aliases[0]!]: "a" })).toEqual({ "rule_name[]": "a" });
  });
});

describe("the name of a tool", () => {
  const named = (name: string, target: SchemaTarget) =>
    compileForTarget({ name, inputSchema: { type: "object", properties: {} } }, target).name;

  test("of more than 64 characters, or with others than letters, digits, _ and -, reaches no provider and no MCP client", () => {
    for (const name of ["n".repeat(128), "server.tool", "server/tool", "with space", "größe"]) {
      for (const target of schemaTargets) {
        if (target === "json-schema-2020-12") continue;
        expect(named(name, target)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      }
    }
  });

  test("that fits is kept, and two names never share an alias", () => {
    expect(named("file_read", "gemini")).toBe("file_read");
    expect(named("1st", "gemini")).toMatch(/^_1st_[0-9a-f]{8}$/);
    expect(named("a.b", "openai")).not.toBe(named("a/b", "openai"));
    expect(named("a.b", "openai")).toBe(named("a.b", "openai"));
  });
});

describe("a union at the top", () => {
  const tool = compileInput(
    z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), input: z.string() }), z.object({ kind: z.literal("b") })]),
    { tool: "t" },
  );
  const forTarget = (target: SchemaTarget) => compileForTarget({ name: "t", inputSchema: tool.json, unionSchema: tool.union }, target);

  test("is the member of an object for constrained decoding, under a name that no branch has", () => {
    for (const target of ["openai-strict", "anthropic", "bedrock"] as const) {
      const { inputSchema, losses, readInput, writeInput } = forTarget(target);
      expect(inputSchema).toMatchObject({
        type: "object",
        properties: { input_: { anyOf: [{ type: "object" }, { type: "object" }] } },
        required: ["input_"],
      });
      expect(losses).toEqual([]);
      expect(writeInput({ kind: "b" })).toEqual({ input_: { kind: "b" } });
      expect(readInput({ input_: { kind: "a", input: "x" } })).toEqual({ kind: "a", input: "x" });
      expect(readInput({ kind: "a", input: "x" })).toEqual({ kind: "a", input: "x" });
    }
  });

  test("is flattened for the others, which counts as a loss", () => {
    for (const target of ["openai", "gemini", "mcp-2025-11-25", "mcp-2026-07-28"] as const) {
      const { inputSchema, losses } = forTarget(target);
      expect(inputSchema).toMatchObject({ type: "object", properties: { kind: { enum: ["a", "b"] } } });
      expect(losses[0]).toMatchObject({ path: "", keyword: "oneOf", goesTo: "description" });
    }
  });

  test("stays where nobody refuses it", () => {
    expect(forTarget("json-schema-2020-12").inputSchema).toMatchObject({ type: "object", oneOf: [{ type: "object" }, { type: "object" }] });
  });

  test("of required members alone is said in words", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    };
    for (const target of schemaTargets.filter((each) => each !== "json-schema-2020-12")) {
      const { schema: written, losses } = compileJsonSchemaForTarget(schema, target);
      expect(written.description).toBe("(give at least one of: a; b)");
      expect(losses[0]).toMatchObject({ path: "", keyword: "anyOf", goesTo: "description" });
    }
  });
});

test("objects of a union begin with different members in strict mode: with a constant, where two would begin alike", () => {
  const branch = (kind: string) => ({
    type: "object",
    properties: { name: { type: "string" }, kind: { const: kind } },
    required: ["name", "kind"],
  });
  const { schema } = compile({ anyOf: [branch("a"), branch("b")] });
  const { anyOf } = (schema.properties as { m: { anyOf: { properties: object }[] } }).m;
  expect(anyOf.map(({ properties }) => Object.keys(properties))).toEqual([
    ["name", "kind"],
    ["kind", "name"],
  ]);
});

test("conditions are said in words, and stay where a target knows them", () => {
  const condition = JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]}}') as JsonObject;
  const schema = { type: "object", properties: { a: { type: "string" }, b: { type: "string" } }, ...condition };
  expect(compileJsonSchemaForTarget(schema, "mcp-2026-07-28").schema).toMatchObject(condition);
  for (const target of ["mcp-2025-11-25", "openai-strict", "gemini"] as const)
    expect(compileJsonSchemaForTarget(schema, target).schema.description).toBe('(if: {"required":["a"]}; then: {"required":["b"]})');
});

test("sizes beyond strict mode take it away: levels, members, enum values, characters", () => {
  const values = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(60, "x"));
  const members: readonly JsonObject[] = [
    { enum: Array.from({ length: 1001 }, (_, index) => `${index}`) },
    { enum: values },
    { type: "object", properties: { ["n".repeat(120_001)]: { type: "string" } } },
  ];
  for (const member of members) {
    const { strict, losses } = compile(member);
    expect([strict, losses.map(({ keyword }) => keyword)]).toEqual([false, ["strict"]]);
  }
  expect(compile({ enum: ["a"] }).strict).toBe(true);
});

test("a schema is compiled once for a target, and nobody can write into it", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const first = compileJsonSchemaForTarget(schema, "openai-strict");
  expect(compileJsonSchemaForTarget(schema, "openai-strict")).toBe(first);
  expect(Object.isFrozen(first.schema.properties)).toBe(true);
});

test.each<JsonObject>([
  { type: "string" },
  { type: "array", items: {} },
  { anyOf: [{ type: "object", properties: {} }, { type: "string" }] },
])("%j is no object at the top, and is refused by all targets", (schema) => {
  for (const target of schemaTargets)
    expect(() => compileJsonSchemaForTarget(schema, target)).toThrow(expect.objectContaining({ code: "schema_refused" }));
});

test("every target names the documents that it follows, with the day on which they were read", () => {
  for (const target of schemaTargets) {
    expect(sourcesOf(target).length).toBeGreaterThan(0);
    for (const { url, read, says } of sourcesOf(target))
      expect(`${url} ${read} ${says}`).toMatch(/^https:\/\/\S+ 20\d\d-\d\d-\d\d \S.*\.$/);
  }
});
