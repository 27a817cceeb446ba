import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import type { InputSchema } from "../tool/define-tool.ts";
import { type CompileOptions, ProblemList } from "./check-rules.ts";
import type { CompiledSchema, ParseOutcome } from "./compiled-schema.ts";
import { convertToJson } from "./convert-to-json.ts";
import { copySchema } from "./copy-schema.ts";
import { checkKeywords, declare, readDeclaration } from "./declared-schema.ts";
import { explainIssue } from "./explain-issue.ts";
import { flattenRoot } from "./flatten-root.ts";
import { listIssues } from "./list-issues.ts";
import { toStandardSchema } from "./to-standard-schema.ts";

export type { CompiledSchema, ParseOutcome, SchemaIssue } from "./compiled-schema.ts";
export type { StandardResult, StandardSchema } from "./standard-schema.ts";

/** Compiles an input schema once. Throws `schema_refused`; its message and details name every broken rule. */
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
  const converted = convertToJson(copied.schema, copied.metadata, problems);
  const { isDeclared, keywords } = readDeclaration(schema, problems);
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
  const union = flat === converted ? undefined : deepFreeze(converted);
  const declared = isDeclared ? deepFreeze(declare(convertToJson(copied.schema, copied.identified, problems))) : undefined;
  const exact = checkKeywords(copied.schema, keywords, declared ?? converted);
  const parse = makeParse(exact, json);
  return Object.freeze({
    json,
    ...(union && { union }),
    ...(declared && { declared }),
    exact,
    parse,
    standard: toStandardSchema(json, parse),
  });
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
      const explained = exact.safeParse(value, { error: explainIssue, reportInput: true });
      return { ok: false, issues: listIssues(explained.error?.issues ?? result.error.issues, json) };
    } catch (error) {
      return { ok: false, issues: [{ path: "", message: explainThrown(error) }] };
    }
  };
}

function explainThrown(error: unknown): string {
  if (ToolwrightError.is(error)) return error.message;
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
