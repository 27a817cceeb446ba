import type { Json, JsonObject } from "@toolwright/engine";
import { compileJsonSchemaForTarget, fitsSchema, type SchemaTarget, schemaTargets, type TargetSchema } from "@toolwright/engine/schema";
import { expect } from "vitest";

interface Compiled extends Pick<TargetSchema, "readInput" | "writeInput"> {
  readonly target: SchemaTarget;
  readonly accepted: JsonObject;
}

/** A schema for all targets, ready to send values out and back. */
export function compileForAll(schema: JsonObject): readonly Compiled[] {
  return schemaTargets.map((target) => {
    const { schema: written, readInput, writeInput } = compileJsonSchemaForTarget(schema, target);
    return { target, accepted: written, readInput, writeInput };
  });
}

/** Each target's schema accepts the value as its model writes it, and what is read back is the value. */
export function expectToSurvive(value: Json, own: JsonObject, targets: readonly Compiled[]): void {
  for (const { target, accepted, writeInput, readInput } of targets) {
    const sent = JSON.parse(JSON.stringify(writeInput(value))) as Json;
    const about = `${target}: ${JSON.stringify(value)} was sent as ${JSON.stringify(sent)}`;
    expect(fitsSchema(accepted, sent), about).toBe(true);
    const read = readInput(sent);
    if (target === "openai-strict") expect(withoutNulls(read), about).toEqual(withoutNulls(value));
    else expect(read, about).toEqual(value);
    // Where null says absent, a value can come to fit two branches of `oneOf`.
    if (target !== "openai-strict" || fitsSchema(own, withoutNulls(value))) expect(fitsSchema(own, read), about).toBe(true);
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** Strict mode says null and absent alike. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutNulls(member)]])));
}
