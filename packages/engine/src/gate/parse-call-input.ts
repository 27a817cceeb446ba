import type { CompiledTool } from "../catalogue/compiled-tool.ts";
import type { CallError, Repair } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import type { CompiledSchema } from "../schema/compile-schema.ts";
import { refuseOversized } from "../schema/measure-input.ts";
import { parseInput } from "../schema/parse-input.ts";
import type { SchemaContext } from "../tool/define-tool.ts";
import type { Call, Step } from "./call.ts";

const noAttributes = {};

export function schemaContextOf(principal: Principal): SchemaContext {
  return { tenant: principal.tenant, agent: principal.agent, attributes: principal.attributes ?? noAttributes };
}

/** Parses the input, with small repairs that guess nothing; everything after sees the repaired input. */
export function parseCallInput(call: Call, tool: CompiledTool, input: unknown): Step<unknown> {
  const parsed = fitInput(tool, call.principal, input);
  if ("misfit" in parsed) return { end: call.failed(parsed.misfit) };
  call.repairs = parsed.repairs;
  return { value: parsed.value };
}

/** The input as the tool takes it from this principal, or what is wrong with it. */
export function fitInput(
  tool: CompiledTool,
  principal: Principal,
  input: unknown,
): { readonly value: unknown; readonly repairs: readonly Repair[] } | { readonly misfit: CallError } {
  const oversized = refuseOversized(input);
  if (oversized) return { misfit: { code: "input_too_large", message: `Tool "${tool.name}": ${oversized}` } };
  const schema: CompiledSchema = tool.input(schemaContextOf(principal));
  const { aliases } = tool.definition;
  const parsed = parseInput(schema, input, aliases ? { aliases } : undefined);
  if (parsed.ok) return parsed;
  const details = parsed.issues.map(({ path, message }) => ({ path, message }));
  return { misfit: { code: "invalid_input", message: parsed.message, details } };
}
