import type { Decision } from "../contract/decision.ts";
import { explainCounterfactual } from "../policy/counterfactual.ts";
import { explainDecision } from "../policy/explain-decision.ts";
import { admitCaller } from "./admit-caller.ts";
import { Call } from "./call.ts";
import { decideCall, reachesOf } from "./decide-call.ts";
import { EXPLAIN_CATALOGUE, type Explanation } from "./explanation.ts";
import { unknownToolMessage } from "./find-tool.ts";
import type { GateParts } from "./gate-parts.ts";
import { parseCallInput } from "./parse-call-input.ts";

type ExplainRequest = Omit<ConstructorParameters<typeof Call>[1], "id" | "options"> & { readonly input: unknown };

/** Says whether the call would run, and why, without running it. A hidden tool is explained only to those who may know of it. */
export function explainCall(request: ExplainRequest, parts: GateParts): Explanation {
  const { principal, name } = request;
  const tool = parts.snapshot(principal.tenant).find(name);
  const admission = tool && admitCaller(tool, principal, parts);
  const mayKnow = admission?.admitted === true || principal.permissions.includes(EXPLAIN_CATALOGUE);
  if (!tool || !admission || !mayKnow) {
    return { tool: name, visible: false, admission: undefined, decision: undefined, text: unknownToolMessage(name, principal, parts) };
  }
  if (!admission.admitted) {
    const failed = admission.checks.at(-1);
    return {
      tool: name,
      visible: false,
      admission,
      decision: undefined,
      text: `Tool "${name}" is hidden (${failed?.check}): ${failed?.reason}`,
    };
  }
  const call = new Call(parts, { ...request, id: "call_explained", options: {} });
  const whatever = call.policy.decideTool(tool.facts);
  if (whatever.effect === "deny") return unlisted(name, admission, whatever);
  if (request.input === undefined) return explained(name, admission, whatever);
  const parsed = parseCallInput(call, tool, request.input);
  if (parsed.end) {
    const misfit = parsed.end.status === "failed" ? parsed.end.error.message : "";
    return { tool: name, visible: true, admission, decision: undefined, misfit, text: `Tool "${name}" is visible. ${misfit}` };
  }
  const read = { call, tool, input: parsed.value, approved: false };
  const { policy } = call;
  const question = { tool: tool.facts, reaches: reachesOf(read), facts: parts.machine(policy.sandbox), principal };
  const explanation = explained(name, admission, decideCall(read, parts));
  return { ...explanation, text: [explanation.text, ...explainCounterfactual(question, policy)].join("\n") };
}

function explained(tool: string, admission: NonNullable<Explanation["admission"]>, decision: Decision): Explanation {
  return { tool, visible: true, admission, decision, text: `Tool "${tool}" is visible.\n${explainDecision(decision)}` };
}

/** What the policy denies whatever the input is not listed, so it is not called visible either. */
function unlisted(tool: string, admission: NonNullable<Explanation["admission"]>, decision: Decision): Explanation {
  const text = `Tool "${tool}" is not listed: the policy denies it whatever the input.\n${explainDecision(decision)}`;
  return { tool, visible: false, admission, decision, text };
}
