import { z } from "zod";
import type { JsonObject } from "../contract/json.ts";
import type { InputSchema } from "../tool/define-tool.ts";
import { type CompileOptions, ProblemList } from "./check-rules.ts";
import { convertToJson } from "./convert-to-json.ts";
import { copySchema } from "./copy-schema.ts";
import { explainIssue } from "./explain-issue.ts";
import { flattenRoot } from "./flatten-root.ts";
import { listIssues } from "./list-issues.ts";
import { type StandardSchema, toStandardSchema } from "./standard-schema.ts";

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
  /** For AI SDK 7, MCP server v2 and whoever else speaks Standard Schema. */
  readonly standard: StandardSchema;
  /** The Zod schema that `parse` uses: unknown members of inputs are refused, unions are exact. */
  readonly exact: z.ZodType;
  /** Exact, without repairs. Never throws. */
  parse(value: unknown): ParseOutcome;
}

/** Compiles an input schema once. Throws `schema_refused`; its message and details name every broken rule (D3). */
export function compileInput(schema: InputSchema, options: CompileOptions): CompiledSchema {
  return compile(schema, new ProblemList("input", options));
}

/** Compiles an output schema: any JSON with an object at the top, as MCP's `outputSchema` asks. Members that it does not name are stripped. */
export function compileOutput(schema: z.ZodType, options: CompileOptions): CompiledSchema {
  return compile(schema, new ProblemList("output", options));
}

function compile(schema: z.ZodType, problems: ProblemList): CompiledSchema {
  refuseForeign(schema, problems);
  const copied = copySchema(schema, { closed: problems.side === "input" });
  const converted = convertToJson(copied, problems);
  problems.checkJson(converted);
  const flat = flattenRoot(converted);
  if (!flat) {
    problems.add("object_at_top", [], {
      problem: "is not an object at the top, which every provider and MCP demand",
      fix: "Wrap it: z.object({ value: ... }).",
    });
  }
  problems.settle();
  const json = deepFreeze(flat ?? {});
  const parse = makeParse(copied.schema, json);
  return Object.freeze({ json, exact: copied.schema, parse, standard: toStandardSchema(json, parse) });
}

function refuseForeign(schema: unknown, problems: ProblemList): void {
  if (typeof schema === "object" && schema !== null && "_zod" in schema) return;
  if (schema === undefined && problems.side === "output") {
    problems.add("output_required", [], { problem: "is missing", fix: "Add `output: z.object({ ... })`." });
  } else {
    const fix = 'Use schemas of Zod 4: import { z } from "zod".';
    problems.add("representable", [], { problem: "is not a Zod 4 schema", fix });
  }
  problems.settle();
}

function makeParse(exact: z.ZodType, json: JsonObject): (value: unknown) => ParseOutcome {
  return (value) => {
    try {
      const result = exact.safeParse(value);
      if (result.success) return { ok: true, value: result.data };
      const explained = exact.safeParse(value, { error: explainIssue });
      return { ok: false, issues: listIssues(explained.error?.issues ?? result.error.issues, json) };
    } catch (error) {
      return { ok: false, issues: [{ path: "", message: explainThrown(error) }] };
    }
  };
}

function explainThrown(error: unknown): string {
  const reason = error instanceof z.core.$ZodAsyncError ? "it is asynchronous" : "it threw";
  return `a check in the tool's schema failed to answer: ${reason}. The author of the tool has to mend it.`;
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return value;
}
