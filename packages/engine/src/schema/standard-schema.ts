import { isPlainObject, type Json, type JsonObject } from "../contract/json.ts";
import type { ParseOutcome } from "./compiled-schema.ts";
import { fromPointer } from "./json-pointer.ts";

/** Standard Schema V1 with the Standard JSON Schema V1 extension (https://standardschema.dev). */
export interface StandardSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult;
    readonly jsonSchema: {
      /** Throws for targets other than `draft-2020-12` and `draft-07`. */
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
  };
}

export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[] };

/** Our schemas use only keywords that mean the same in both. */
const targets = new Set(["draft-2020-12", "draft-07"]);

export function toStandardSchema(json: JsonObject, parse: (value: unknown) => ParseOutcome): StandardSchema {
  const convert = ({ target }: { readonly target: string }) => {
    if (!targets.has(target)) throw new Error(`JSON Schema target "${target}" is not supported. Use ${[...targets].join(" or ")}.`);
    // A copy: AI SDK 7 writes `additionalProperties` into what it gets.
    return thaw(json) as Record<string, unknown>;
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
