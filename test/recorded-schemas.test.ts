import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "@toolwright/engine";
import { compileJsonSchemaForTarget, fitsSchema, schemaTargets } from "@toolwright/engine/schema";
import { drawFrom, drawValue } from "@toolwright/engine/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";
import { findRefusals } from "./schema-refusals.ts";

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

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Strict mode says null and absent alike. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])));
}

/** OpenAPI 3.0's `nullable` in the words of JSON Schema. */
function spellNullable(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(spellNullable);
  if (!isObject(schema)) return schema;
  const { nullable, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, spellNullable(value as Json)]));
  return nullable === true ? { anyOf: [rest, { type: "null" }] } : { ...rest, ...(nullable !== undefined && { nullable }) };
}

test("sixty tools of public MCP servers are recorded, twenty of them awkward, each with its source", () => {
  expect(recorded.length).toBeGreaterThanOrEqual(60);
  expect(recorded.filter(({ awkward }) => awkward !== undefined).length).toBeGreaterThanOrEqual(20);
  for (const { source } of recorded)
    expect(source).toMatch(/^https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(blob\/[0-9a-f]{40}\/|pull\/|issues\/)/);
  expect(new Set(recorded.map(({ name }) => name)).size).toBe(recorded.length);
});

test.each(recorded)("$name: no target refuses anything of its schema", ({ schema }) => {
  const found = schemaTargets.flatMap((target) =>
    findRefusals(compileJsonSchemaForTarget(schema, target), target).map((refusal) => `${target} ${refusal}`),
  );
  expect(found).toEqual([]);
});

test.each(recorded)("$name: generated values survive out and back", ({ schema }) => {
  const { schema: own } = compileJsonSchemaForTarget(schema, "json-schema-2020-12");
  const targets = schemaTargets.map((target) => {
    const compiled = compileJsonSchemaForTarget(schema, target);
    return { ...compiled, target, accepted: spellNullable(compiled.schema) as JsonObject };
  });
  let drawn = 0;
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 80 }), (choices) => {
      const value = drawValue(schema, drawFrom(choices));
      if (value === undefined) return;
      drawn += 1;
      for (const { target, accepted, writeInput, readInput } of targets) {
        const sent = writeInput(value);
        expect(fitsSchema(accepted, sent), `${target} ${JSON.stringify(sent)}`).toBe(true);
        const read = readInput(JSON.parse(JSON.stringify(sent)));
        if (target === "openai-strict") expect(withoutNulls(read), target).toEqual(withoutNulls(value));
        else expect(read, target).toEqual(value);
        expect(fitsSchema(own, read), target).toBe(true);
      }
    }),
    { numRuns: 12 },
  );
  expect(drawn).toBeGreaterThan(0);
});
