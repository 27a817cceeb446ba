import type { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import type { Sensitive } from "./sensitive.ts";
import type { StandardSchema } from "./standard-schema.ts";

export interface SchemaIssue {
  /** JSON pointer into the value; "" is the whole. */
  readonly path: string;
  /** What is wrong, what was expected, what to do. */
  readonly message: string;
}

export type ParseOutcome = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

export interface CompiledSchema {
  /** JSON Schema 2020-12, without `$schema`; an object at the top; frozen. A union at the top is one object that accepts whatever the union accepts. */
  readonly json: JsonObject;
  /** The JSON Schema with its union at the top, where `json` has the union flattened. */
  readonly union?: JsonObject;
  /** The JSON Schema as its author declared it, where its `.meta()` names the dialect in `$schema`: schemas with an id are definitions. */
  readonly declared?: JsonObject;
  /** Its sensitive members; absent where it marks none. */
  readonly sensitive?: Sensitive;
  /** For AI SDK 7, MCP server v2 and whoever else speaks Standard Schema. */
  readonly standard: StandardSchema;
  /** The Zod schema that `parse` uses: unknown members of inputs are refused, unions are exact. */
  readonly exact: z.ZodType;
  /** Exact, without repairs. Never throws. */
  parse(value: unknown): ParseOutcome;
}
