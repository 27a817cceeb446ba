import type { Call, ParsedCall, Step } from "./call.ts";
import { findTool } from "./find-tool.ts";
import type { GateParts } from "./gate-parts.ts";
import { parseCallInput } from "./parse-call-input.ts";

/** Find, admit and parse. */
export function prepareCall(call: Call, input: unknown, parts: GateParts): Step<ParsedCall> {
  const found = findTool(call, parts);
  if (found.end) return found;
  call.tool = found.value;
  const parsed = parseCallInput(call, found.value, input);
  if (parsed.end) return parsed;
  call.input = parsed.value;
  return { value: { call, tool: found.value, input: parsed.value, approved: false } };
}
