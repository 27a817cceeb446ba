import type { JsonObject } from "../../contract/json.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import type { Dialect } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { mcp } from "./mcp.ts";
import { findExcess } from "./measure-schema.ts";
import { openai } from "./openai.ts";
import { rewriteSchema, type SchemaLoss } from "./rewrite-schema.ts";

export type { SchemaLoss } from "./rewrite-schema.ts";

export type SchemaTarget = "openai" | "anthropic" | "gemini" | "bedrock" | "mcp";

/** What each target can say. */
export const dialects: Readonly<Record<SchemaTarget, Dialect>> = { openai, anthropic, gemini, bedrock, mcp };

export const schemaTargets = Object.keys(dialects) as SchemaTarget[];

export interface TargetSchema {
  readonly schema: JsonObject;
  /** What the target cannot say, in the order of the schema. The engine enforces all of it on every call. */
  readonly losses: readonly SchemaLoss[];
}

/** Rewrites a compiled schema for one provider's strict mode. The same schema gives the same text, key order included. */
export function compileForTarget(schema: JsonObject, target: SchemaTarget): TargetSchema {
  const dialect = dialects[target];
  const rewritten = rewriteSchema(schema, dialect);
  return { schema: rewritten.schema, losses: [...rewritten.losses, ...findExcess(rewritten.schema, dialect)] };
}
