import type { CallResult, DoneResult, Truncation } from "../../contract/call.ts";
import type { ContentBlock } from "../../contract/content.ts";
import type { Decision } from "../../contract/decision.ts";
import { findNonJson, type Json } from "../../contract/json.ts";
import type { SchemaIssue } from "../../schema/compile-schema.ts";
import type { ParsedCall } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";
import { boundOutput, defaultMaxOutputBytes, jsonBytes } from "./bound-output.ts";
import { saveArtifact } from "./call-artifacts.ts";

const nothingCut: readonly Truncation[] = [];

/** Checks what the tool returned, takes secrets out, bounds it, and makes the view for the model. */
export function projectOutput(
  parsed: ParsedCall,
  returned: unknown,
  decision: Decision,
  parts: GateParts,
): CallResult | Promise<CallResult> {
  const { call, tool } = parsed;
  const notJson = findNonJson(returned);
  if (notJson) {
    return call.failed({
      code: "output_not_json",
      message: `Tool "${tool.name}" returned a value that JSON cannot carry at ${notJson.path}: ${notJson.problem}. This is a defect of the tool.`,
    });
  }
  const checked = tool.output.parse(returned);
  if (!checked.ok) return call.failed(outputError(tool.name, checked.issues));
  const output = call.redactor.redactJson(checked.value as Json);
  const text = JSON.stringify(output);
  const maxBytes = tool.definition.limits?.maxOutputBytes ?? defaultMaxOutputBytes;
  // A UTF-16 unit is at most three bytes of UTF-8, so a short text needs no counting.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text, "utf8") <= maxBytes) {
    return finish(parsed, { output, text, truncations: nothingCut, decision });
  }
  return projectLargeOutput(parsed, { output, text, maxBytes, decision, parts });
}

interface LargeOutput {
  readonly output: Json;
  readonly text: string;
  readonly maxBytes: number;
  readonly decision: Decision;
  readonly parts: GateParts;
}

async function projectLargeOutput(parsed: ParsedCall, large: LargeOutput): Promise<CallResult> {
  const { call, tool } = parsed;
  const artifact = await keepWhole(parsed, large);
  const bounded = boundOutput(large.output, large.maxBytes, artifact);
  if (!bounded || !tool.output.parse(bounded.output).ok) {
    const where = artifact ? `The whole is artifact ${artifact}.` : "The whole could not be kept.";
    return call.failed({
      code: "invalid_output",
      message: `The output of tool "${tool.name}" has ${jsonBytes(large.output)} bytes, more than ${large.maxBytes}, and cannot be cut without breaking its schema. ${where} Ask for less.`,
    });
  }
  return finish(parsed, {
    output: bounded.output,
    text: JSON.stringify(bounded.output),
    truncations: bounded.truncations,
    decision: large.decision,
  });
}

async function keepWhole({ call, tool }: ParsedCall, { text, parts }: LargeOutput): Promise<string | undefined> {
  try {
    const ref = await saveArtifact(call, { name: `${tool.name}-output.json`, mediaType: "application/json", content: text }, parts);
    return ref.id;
  } catch (error) {
    parts.logger.log("warn", "The whole of a cut output could not be kept.", {
      callId: call.id,
      error: call.redactor.redact(String(error)),
    });
    return undefined;
  }
}

interface Finished {
  readonly output: Json;
  readonly text: string;
  readonly truncations: readonly Truncation[];
  readonly decision: Decision;
}

function finish({ call, tool }: ParsedCall, { output, text, truncations, decision }: Finished): DoneResult {
  const own = ownView(tool.definition.toModel?.(output as never), call) ?? [{ type: "text" as const, text }];
  const remarkable = call.repairs.length + truncations.length + call.anomalies.length > 0;
  const content = remarkable ? [...own, noteOn(call, truncations)] : own;
  return { ...call.facts(), status: "done", output, content, truncations, decision };
}

/** A tool's own view may hold more than its output did. */
function ownView(content: readonly ContentBlock[] | undefined, { redactor }: ParsedCall["call"]): readonly ContentBlock[] | undefined {
  return redactor.redactJson(content as Json | undefined) as readonly ContentBlock[] | undefined;
}

/** What was changed, left out or abnormal, for the model to know (law 5). */
function noteOn(call: ParsedCall["call"], truncations: readonly Truncation[]): ContentBlock {
  const notes = [
    ...call.repairs.map(({ path, what }) => `The input was repaired at ${path || "/"}: ${what}`),
    ...truncations.map(({ path, kept, total, unit, artifact }) => {
      const whole = artifact ? ` The whole is artifact ${artifact}.` : "";
      return `${path || "/"} was cut: ${kept} of ${total} ${unit} are shown.${whole}`;
    }),
    ...call.anomalies.map(({ message }) => message),
  ];
  return { type: "text", text: `Note: ${notes.join("\nNote: ")}` };
}

function outputError(tool: string, issues: readonly SchemaIssue[]): { code: "invalid_output"; message: string; details: Json } {
  const first = issues[0];
  return {
    code: "invalid_output",
    message: `Tool "${tool}" returned a value that its own output schema refuses${first ? ` at ${first.path || "/"}: ${first.message}` : ""}. This is a defect of the tool.`,
    details: issues.map(({ path, message }) => ({ path, message })),
  };
}
