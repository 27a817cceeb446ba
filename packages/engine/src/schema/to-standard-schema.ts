import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import type { ParseOutcome } from "./compiled-schema.ts";
import { fromPointer } from "./json-pointer.ts";
import type { StandardSchema } from "./standard-schema.ts";
import { compileJsonSchemaForTarget } from "./targets/compile-for-target.ts";

/** Our schemas use only keywords that mean the same in both. */
const targets = new Set(["draft-2020-12", "draft-07"]);

export function toStandardSchema(json: JsonObject, parse: (value: unknown) => ParseOutcome): StandardSchema {
  let made: JsonObject | undefined;
  const readable = () => {
    made ??= compileJsonSchemaForTarget(json, "mcp-2026-07-28").schema;
    return made;
  };
  const convert = ({ target }: { readonly target: string }) => {
    if (!targets.has(target)) throw new Error(`JSON Schema target "${target}" is not supported. Use ${[...targets].join(" or ")}.`);
    // A copy: AI SDK 7 writes `additionalProperties` into what it gets.
    return thaw(readable()) as Record<string, unknown>;
  };
  return {
    "~standard": {
      version: 1,
      vendor: "toolwright",
      validate: (value) => {
        const outcome = parse(value);
        if (outcome.ok) return { value: outcome.value };
        return { issues: outcome.issues.map(({ path, message }) => ({ path: fromPointer(path), message })) };
      },
      jsonSchema: { input: convert, output: convert },
    },
  };
}

function thaw(value: Json): unknown {
  if (Array.isArray(value)) return value.map(thaw);
  return isPlainObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, thaw(item as Json)])) : value;
}
