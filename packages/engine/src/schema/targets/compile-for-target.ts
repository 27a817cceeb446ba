import { ToolwrightError } from "../../contract/errors.ts";
import type { JsonObject } from "../../contract/json.ts";
import { mapChildren, type SchemaPath } from "../schema-node.ts";
import { upgradeSchema } from "../upgrade-schema.ts";
import { anthropic } from "./anthropic.ts";
import { bedrock } from "./bedrock.ts";
import type { Dialect, TargetSource } from "./dialect.ts";
import { asIs, type Form, formOfWrapped } from "./form.ts";
import { gemini } from "./gemini.ts";
import { jsonSchema202012 } from "./json-schema.ts";
import { makeReadable } from "./make-readable.ts";
import { mcp20251125, mcp20260728 } from "./mcp.ts";
import { findExcess } from "./measure-schema.ts";
import { nameForTarget } from "./name-for-target.ts";
import { openai, openaiStrict } from "./openai.ts";
import { rewriteSchema } from "./rewrite-schema.ts";
import { type Run, type SchemaLoss, type SchemaRewrite, sayRefused } from "./say.ts";
import { type ShapedRoot, shapeRoot } from "./shape-root.ts";

export type { TargetSource } from "./dialect.ts";
export type { SchemaLoss, SchemaRewrite } from "./say.ts";

export type SchemaTarget =
  | "openai-strict"
  | "openai"
  | "anthropic"
  | "gemini"
  | "bedrock"
  | "mcp-2025-11-25"
  | "mcp-2026-07-28"
  | "json-schema-2020-12";

/** What each target can say. */
export const dialects: Readonly<Record<SchemaTarget, Dialect>> = {
  "openai-strict": openaiStrict,
  openai,
  anthropic,
  gemini,
  bedrock,
  "mcp-2025-11-25": mcp20251125,
  "mcp-2026-07-28": mcp20260728,
  "json-schema-2020-12": jsonSchema202012,
};

export const schemaTargets = Object.keys(dialects) as SchemaTarget[];

/** The documents of the provider that the rules of a target come from. */
export function sourcesOf(target: SchemaTarget): readonly TargetSource[] {
  return dialects[target].sources;
}

export interface TargetSchema {
  /** Frozen and shared by all callers: copy it for code that writes into schemas. */
  readonly schema: JsonObject;
  /** What the target cannot say, in the order of the schema. The engine enforces all of it on every call. */
  readonly losses: readonly SchemaLoss[];
  /** What the target says in another form; `readInput` takes it back without loss. */
  readonly rewrites: readonly SchemaRewrite[];
  /** True where the target has a strict mode and this schema is within its limits. */
  readonly strict: boolean;
  /** Turns what a model wrote by the target's schema into an input of the tool. What it does not recognise stays as it is; never throws. */
  readInput(value: unknown): unknown;
  /** Writes an input of the tool as a model writes it by the target's schema: for examples, and for tests. */
  writeInput(input: unknown): unknown;
}

/** What of a tool the compiler reads. A `ToolView` is one. */
export interface CompilableTool {
  readonly name: string;
  readonly inputSchema: JsonObject;
  /** The input schema with the union at its top, where `inputSchema` has it flattened. */
  readonly unionSchema?: JsonObject | undefined;
  /** The input schema as its author declared it, for targets that pass it on. */
  readonly declaredSchema?: JsonObject | undefined;
  readonly outputSchema?: JsonObject | undefined;
}

export interface ToolForTarget extends Omit<TargetSchema, "schema"> {
  /** The tool's name, or an alias where the target refuses the name. */
  readonly name: string;
  /** Frozen and shared by all callers: copy it for code that writes into schemas. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** Writes a tool's name and schemas for one target. Each schema is compiled once for a target; equal schemas give the same text, key order included. */
export function compileForTarget(tool: CompilableTool, target: SchemaTarget): ToolForTarget {
  const { schema: inputSchema, ...rest } = compileInput(tool, target);
  const name = nameForTarget(tool.name, dialects[target].toolNames);
  return { name, inputSchema, ...(tool.outputSchema && { outputSchema: compileOutputOnce(tool.outputSchema, target) }), ...rest };
}

function compileInput({ name, declaredSchema, unionSchema, inputSchema }: CompilableTool, target: SchemaTarget): TargetSchema {
  if (!declaredSchema || !dialects[target].passesDeclared) return compileOnce(unionSchema ?? inputSchema, target, name);
  return remember(compiled, declaredSchema, target, () => passOn(declaredSchema, dialects[target]));
}

/**
 * Writes a schema that is no tool's of this process for one target: any draft of JSON Schema from 04 on, or OpenAPI 3.0. Throws `schema_refused` for what no
 * target can say. Whoever runs the tool checks its inputs.
 */
export function compileJsonSchemaForTarget(schema: JsonObject, target: SchemaTarget): TargetSchema {
  return compileOnce(schema, target, "the tool");
}

const compiled = new WeakMap<JsonObject, Map<SchemaTarget, TargetSchema>>();
const outputs = new WeakMap<JsonObject, Map<SchemaTarget, JsonObject>>();

function compileOnce(schema: JsonObject, target: SchemaTarget, tool: string): TargetSchema {
  return remember(compiled, schema, target, () => compile(schema, dialects[target], tool));
}

/** Outputs are no provider's business: only what no language reads is rewritten. */
function compileOutputOnce(schema: JsonObject, target: SchemaTarget): JsonObject {
  return remember(outputs, schema, target, () =>
    deepFreeze(makeReadable(schema, [], { dialect: dialects[target], root: schema, losses: [], rewrites: [] })),
  );
}

function remember<Value>(
  known: WeakMap<JsonObject, Map<SchemaTarget, Value>>,
  schema: JsonObject,
  target: SchemaTarget,
  make: () => Value,
): Value {
  const byTarget = known.get(schema) ?? new Map<SchemaTarget, Value>();
  known.set(schema, byTarget);
  const made = byTarget.get(target) ?? make();
  byTarget.set(target, made);
  return made;
}

function compile(schema: JsonObject, dialect: Dialect, tool: string): TargetSchema {
  const notes = { losses: [] as SchemaLoss[], rewrites: [] as SchemaRewrite[] };
  const upgraded = upgradeSchema(schema, tool);
  const root = makeReadable(upgraded, [], { dialect, root: upgraded, ...notes });
  const run: Run = { dialect, root, ...notes };
  const shaped = shapeRoot(root, run);
  if (!shaped) {
    throw new ToolwrightError(
      "schema_refused",
      `The schema of ${tool} was refused: it is not an object at the top, nor a union of objects, which every provider and MCP demand. Make the value a member of an object.`,
    );
  }
  const { schema: written, form } = write(shaped, run);
  const excess = findExcess(written, dialect);
  return Object.freeze({
    schema: deepFreeze(written),
    losses: [...notes.losses, ...excess],
    rewrites: notes.rewrites,
    strict: dialect.strictMode && excess.length === 0,
    readInput: form.read,
    writeInput: form.write,
  });
}

/** What its author declared goes out as it is, but for what no language reads. */
function passOn(declared: JsonObject, dialect: Dialect): TargetSchema {
  const run: Run = { dialect, root: declared, losses: [], rewrites: [] };
  const schema = dropRefusedValues(makeReadable(declared, [], run), [], run);
  const { losses, rewrites } = run;
  return Object.freeze({ schema: deepFreeze(schema), losses, rewrites, strict: false, readInput: asIs.read, writeInput: asIs.write });
}

function write({ schema, wrapped }: ShapedRoot, run: Run): { schema: JsonObject; form: Form } {
  const { keywords } = run.dialect;
  if (keywords === "any") return { schema: dropRefusedValues(schema, [], run), form: asIs };
  if (!wrapped) return rewriteSchema(schema, run, keywords);
  const { schema: inner, form } = rewriteSchema({ ...schema, ...wrapped.union }, run, keywords);
  const { $defs, ...union } = inner;
  const properties = { [wrapped.member]: union };
  const around = {
    type: "object",
    properties,
    required: [wrapped.member],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
  return { schema: around, form: formOfWrapped(wrapped.member, form) };
}

function dropRefusedValues(node: JsonObject, path: SchemaPath, run: Run): JsonObject {
  const { accepts } = run.dialect;
  if (!accepts) return node;
  const visited = mapChildren(node, (child, below) => dropRefusedValues(child, [...path, ...below], run));
  return sayRefused(visited, path, run, (keyword, value) => accepts(keyword, value, visited));
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
