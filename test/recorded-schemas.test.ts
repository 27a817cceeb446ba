import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@toolwright/engine";
import { compileJsonSchemaForTarget, schemaTargets } from "@toolwright/engine/schema";
import { drawFrom, drawValue } from "@toolwright/engine/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";
import { findRefusals, refusals } from "./schema-refusals.ts";
import { compileForAll, expectToSurvive } from "./survives.ts";

interface Recorded {
  readonly name: string;
  readonly source: string;
  readonly awkward?: string;
  readonly schema: JsonObject;
}

const recorded = readFileSync(join(root, "test/corpora/mcp-tool-schemas.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Recorded);

const choices = fc.array(fc.nat(0xffff), { maxLength: 80 });

test("sixty tools of public MCP servers are recorded, twenty of them awkward, each with its source", () => {
  expect(recorded.length).toBeGreaterThanOrEqual(60);
  expect(recorded.filter(({ awkward }) => awkward !== undefined).length).toBeGreaterThanOrEqual(20);
  for (const { source } of recorded)
    expect(source).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(blob\/[0-9a-f]{40}\/|pull\/|issues\/)/);
  expect(new Set(recorded.map(({ name }) => name)).size).toBe(recorded.length);
});

test("the list of refusals finds what is planted: a schema that no target rewrote", () => {
  const planted = {
    type: "object",
    properties: {
      "a b": { type: "array" },
      u: { type: ["string", "null"], format: "uri", default: "x" },
      n: { enum: [1] },
      o: { const: 1, minimum: 0 },
    },
    required: ["gone"],
    anyOf: [{ required: ["u"] }],
  };
  for (const target of schemaTargets.filter((each) => each !== "json-schema-2020-12")) {
    const compiled = { ...compileJsonSchemaForTarget(planted, target), schema: planted };
    expect(findRefusals(compiled, target).length).toBeGreaterThan(1);
  }
  const sources = refusals.map(({ source }) => source);
  for (const source of sources) expect(source).toMatch(/^https:\/\//);
});

test.each(recorded)("$name: no target refuses anything of its schema", ({ schema }) => {
  const found = schemaTargets.flatMap((target) =>
    findRefusals(compileJsonSchemaForTarget(schema, target), target).map((refusal) => `${target} ${refusal}`),
  );
  expect(found).toEqual([]);
});

test.each(recorded)("$name: generated values survive out and back", ({ schema }) => {
  const { schema: own } = compileJsonSchemaForTarget(schema, "json-schema-2020-12");
  const targets = compileForAll(schema);
  let drawn = 0;
  fc.assert(
    fc.property(choices, (chosen) => {
      const value = drawValue(schema, drawFrom(chosen));
      if (value === undefined) return;
      drawn += 1;
      expectToSurvive(value, own, targets);
    }),
    { numRuns: 12 },
  );
  expect(drawn).toBeGreaterThan(0);
});

/** Schemas of every keyword, nested and mixed as nobody would write them. */
const { node } = fc.letrec<{ node: JsonObject }>((tie) => {
  const bounds = fc.record({ minimum: fc.integer({ min: -5, max: 0 }), maximum: fc.integer({ min: 0, max: 5 }) }, { requiredKeys: [] });
  const lengths = fc.record({ minLength: fc.nat(2), maxLength: fc.integer({ min: 2, max: 5 }) }, { requiredKeys: [] });
  const names = fc.constantFrom("a", "b", "k", "with space", "toString", "$ref", "x".repeat(80));
  const open = fc.oneof(
    fc.constant({}),
    fc.constant({ additionalProperties: true }),
    fc.constant({ additionalProperties: false }),
    tie("node").map((additionalProperties) => ({ additionalProperties })),
  );
  const members = fc.dictionary(names, fc.tuple(tie("node"), fc.boolean()), { maxKeys: 3, noNullPrototype: true });
  const union = fc.tuple(fc.constantFrom("anyOf", "oneOf"), fc.array(tie("node"), { minLength: 1, maxLength: 3 }));
  return {
    node: fc.oneof(
      { maxDepth: 3, depthSize: "small", withCrossShrink: true },
      fc.constantFrom<JsonObject>(
        { type: "string" },
        {},
        { type: "boolean" },
        { type: "null" },
        { enum: ["x", null] },
        { const: 1 },
        { enum: ["x", 2, true] },
        { type: ["string", "integer", "null"] },
        { type: "string", format: "uri" },
        { type: "string", pattern: "^[a-c]{1,3}$" },
      ),
      bounds.map((each): JsonObject => ({ type: "integer", ...each })),
      lengths.map((each): JsonObject => ({ type: "string", ...each })),
      fc.tuple(members, open).map(([made, more]): JsonObject => {
        const properties = Object.fromEntries(Object.entries(made).map(([name, [schema]]) => [name, schema]));
        const required = Object.keys(made).filter((name) => made[name]?.[1]);
        return { type: "object", properties, required, ...more };
      }),
      tie("node").map((additionalProperties): JsonObject => ({ type: "object", additionalProperties })),
      tie("node").map((schema): JsonObject => ({ type: "object", patternProperties: { "^p[0-9]$": schema } })),
      tie("node").map((items): JsonObject => ({ type: ["array", "null"], items, maxItems: 3 })),
      fc.tuple(tie("node"), tie("node")).map((prefixItems): JsonObject => ({ type: "array", prefixItems, items: false })),
      union.map(([keyword, branches]): JsonObject => ({ [keyword]: branches, description: "One of them." })),
      tie("node").map((part): JsonObject => ({ allOf: [part, { description: "And so." }] })),
    ),
  };
});

test("any schema compiles for all targets, none of them refuses it, and its values survive", () => {
  let drawn = 0;
  fc.assert(
    fc.property(node, choices, (member, chosen) => {
      const schema = { type: "object", properties: { m: member }, required: ["m"] };
      const targets = compileForAll(schema);
      for (const { target } of targets) expect(findRefusals(compileJsonSchemaForTarget(schema, target), target)).toEqual([]);
      const value = drawValue(schema, drawFrom(chosen));
      if (value === undefined) return;
      drawn += 1;
      expectToSurvive(value, schema, targets);
    }),
    { numRuns: 200 },
  );
  expect(drawn).toBeGreaterThan(50);
});
