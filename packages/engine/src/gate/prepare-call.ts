import { type Admission, admit, isAdmitted } from "../catalogue/admit.ts";
import type { CompiledTool } from "../catalogue/compile-tool.ts";
import type { CallError, Repair } from "../contract/call.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Principal } from "../contract/principal.ts";
import type { CompiledSchema, SchemaIssue } from "../schema/compile-schema.ts";
import { parseInput, refuseOversized, writeMessage } from "../schema/parse-input.ts";
import { hiddenForm, type Sensitive } from "../schema/sensitive.ts";
import type { SchemaContext } from "../tool/define-tool.ts";
import type { Call, ParsedCall, Step } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { Redactor } from "./redaction/redact.ts";

/** Find, admit and parse. */
export function prepareCall(call: Call, input: unknown, parts: GateParts): Step<ParsedCall> {
  const found = findTool(call, parts);
  if (found.end) return found;
  call.tool = found.value;
  const parsed = parseCallInput(call, found.value, input);
  if (parsed.end) return parsed;
  return { value: { call, tool: found.value, input: parsed.value, approved: false } };
}

/** Finds the tool and admits the principal to it. A hidden tool and an unknown tool give the same answer. */
function findTool(call: Call, parts: GateParts): Step<CompiledTool> {
  const tool = parts.snapshot(call.principal.tenant).find(call.name);
  if (tool && isCallerAdmitted(tool, call.principal, parts)) return { value: tool };
  return { end: call.failed({ code: "tool_not_found", message: unknownToolMessage(call.name, call.principal, parts) }) };
}

/** Names only what the principal can see. */
export function unknownToolMessage(name: string, principal: Principal, parts: GateParts): string {
  const visible = parts.snapshot(principal.tenant).tools.filter((tool) => isCallerAdmitted(tool, principal, parts));
  const shown = name.length > 64 ? `${name.slice(0, 64)}...` : name;
  const nearest = nearestName(
    name,
    visible.map((tool) => tool.name),
  );
  const hint = nearest ? `Did you mean "${nearest}"?` : "List the tools to see what there is.";
  return `There is no tool named ${JSON.stringify(shown.toWellFormed())}. ${hint}`;
}

type Facts = Pick<GateParts, "visibility" | "secrets" | "capabilities">;

/** Admitted itself, and everyone from whom it has what it has. */
export function isCallerAdmitted(tool: CompiledTool, principal: Principal, facts: Facts): boolean {
  if (!isAdmitted(tool, principal, facts)) return false;
  return principal.delegated === undefined || isCallerAdmitted(tool, principal.delegated.from, facts);
}

/** Says with reasons whether a caller is admitted to a tool: its own reasons, unless a caller further up is not admitted. */
export function admitCaller(tool: CompiledTool, principal: Principal, facts: Facts): Admission {
  const own = admit(tool, principal, facts);
  if (!own.admitted || principal.delegated === undefined) return own;
  const above = admitCaller(tool, principal.delegated.from, facts);
  return above.admitted ? own : above;
}

const noAttributes = {};

export function schemaContextOf(principal: Principal): SchemaContext {
  return { tenant: principal.tenant, agent: principal.agent, attributes: principal.attributes ?? noAttributes };
}

/**
 * Parses the input, with small repairs that guess nothing; everything after sees the repaired input. From here on nothing that the call puts out holds
 * a sensitive member.
 */
export function parseCallInput(call: Call, tool: CompiledTool, input: unknown): Step<unknown> {
  const sensitive = sensitiveInput(tool, call.principal);
  if (sensitive) for (const value of sensitive.valuesIn(input)) call.redactor.addMember(value);
  const parsed = fitInput(tool, call.principal, input);
  if ("misfit" in parsed) return { end: call.failed(parsed.misfit) };
  if (sensitive) for (const value of sensitive.valuesIn(parsed.value)) call.redactor.addMember(value);
  call.repairs = parsed.repairs;
  call.asksFirst = parsed.asks === true;
  call.input = sensitive ? sensitive.hide(parsed.value) : parsed.value;
  return { value: parsed.value };
}

/** The sensitive members of what this principal gives the tool; undefined where there are none. */
export function sensitiveInput(tool: CompiledTool, principal: Principal): Sensitive | undefined {
  return tool.input(schemaContextOf(principal)).sensitive;
}

/** An input as it was given, with lengths in place of sensitive members. What does not fit is hidden whole where the tool marks any. */
export function hideGiven(
  principal: Principal,
  { name, input }: { readonly name: string; readonly input: unknown },
  { snapshot }: Pick<GateParts, "snapshot">,
): unknown {
  const tool = snapshot(principal.tenant).find(name);
  const sensitive = tool && sensitiveInput(tool, principal);
  if (!sensitive) return input;
  const fitted = fitInput(tool, principal, input);
  if ("misfit" in fitted) return hiddenForm(input);
  const hidden = sensitive.hide(fitted.value);
  return hidden === fitted.value ? input : hidden;
}

/** The input as the tool takes it from this principal, or what is wrong with it. */
export function fitInput(
  tool: CompiledTool,
  principal: Principal,
  input: unknown,
): { readonly value: unknown; readonly repairs: readonly Repair[]; readonly asks?: true } | { readonly misfit: CallError } {
  const oversized = refuseOversized(input);
  if (oversized) return { misfit: { code: "input_too_large", message: `Tool "${tool.name}": ${oversized}` } };
  const schema: CompiledSchema = tool.input(schemaContextOf(principal));
  const { aliases, asksOn } = tool.definition;
  const parsed = parseInput(schema, input, { aliases, asksOn });
  if (parsed.ok) return parsed;
  if (schema.sensitive) return { misfit: misfitOf(parsed.issues, input, schema.sensitive) };
  const details = parsed.issues.map(({ path, message }) => ({ path, message }));
  return { misfit: { code: "invalid_input", message: parsed.message, details } };
}

/** What is wrong with an input, where neither our words nor those of the schema's author quote a sensitive member. */
function misfitOf(issues: readonly SchemaIssue[], input: unknown, sensitive: Sensitive): CallError {
  const redactor = new Redactor();
  for (const value of sensitive.valuesIn(input)) redactor.addMember(value);
  const details = withoutValues(issues, sensitive);
  return redactor.redactError({ code: "invalid_input", message: writeMessage(details), details });
}

/** What was expected of a sensitive member, without what was given. */
function withoutValues(issues: readonly SchemaIssue[], sensitive: Sensitive): { path: string; message: string }[] {
  return issues.map(({ path, message }) => {
    const [expected] = message.split(", got ");
    if (!sensitive.covers(path) || expected === undefined) return { path, message };
    if (message.includes("fits none of the accepted forms")) return { path, message: "the value fits none of the accepted forms." };
    return { path, message: expected === message ? message : `${expected}.` };
  });
}
