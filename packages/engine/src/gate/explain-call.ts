import type { CompiledTool } from "../catalogue/compile-tool.ts";
import type { CallError, CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import { EXPLAIN_CATALOGUE } from "../contract/permissions.ts";
import type { PossibleChange } from "../contract/possible-change.ts";
import { asSentence, visibleText } from "../contract/visible-text.ts";
import { explainCounterfactual } from "../policy/counterfactual.ts";
import { explainDecision } from "../policy/explain-decision.ts";
import { credentialsOf } from "../policy/request-text.ts";
import type { SchemaIssue } from "../schema/compiled-schema.ts";
import { isHidden, type Sensitive } from "../schema/sensitive.ts";
import { Call, type ParsedCall, reachesOf } from "./call.ts";
import { decideCall, heedCautions } from "./decide-call.ts";
import type { Explanation } from "./explanation.ts";
import type { GateParts } from "./gate-parts.ts";
import { admitCaller, parseCallInput, schemaContextOf, sensitiveInput, unknownToolMessage } from "./prepare-call.ts";
import { nameAll, readUnseen, type Unseen } from "./unseen.ts";

type ExplainRequest = Omit<ConstructorParameters<typeof Call>[1], "id" | "options"> & { readonly input: unknown };

/** Says whether the call would run, and why, without running it. A hidden tool is explained only to those who may know of it. */
export function explainCall(request: ExplainRequest, parts: GateParts): Explanation {
  return look(request, parts).explanation;
}

/** Explains a call with the checks that only this machine can make, in the order of a call. */
export async function explainOnMachine(request: ExplainRequest, parts: GateParts): Promise<Explanation> {
  const { explanation, judged, unseen } = look(request, parts);
  if (!judged || !explanation.decision) return explanation;
  const decision = await heedCautions(judged, explanation.decision, parts);
  if (decision.effect === "deny") return explanation;
  return tellUnseen(describeCall(judged, { decision, refusals: await refusalsOf(judged) }, parts), unseen);
}

/** Says what the explanation did not see; where the decision depends on that, there is none. */
function tellUnseen({ decision, obstacles, changes, ...explanation }: Explanation, unseen: Unseen | undefined): Explanation {
  const whole = { ...explanation, decision, ...(obstacles && { obstacles }), ...(changes && { changes }) };
  if (!unseen) return whole;
  const { places, asked } = unseen;
  const isOne = places.length === 1;
  const note = `It did not see ${nameAll(places)}, which ${isOne ? "is" : "are"} sensitive.`;
  if (asked.size === 0) return { ...whole, unseen: places, text: `${explanation.text}\n${note}` };
  const open = `Tool "${explanation.tool}" is visible. Whether this call runs is not known here: it depends on ${nameAll(asked)}. Expect it to ask.`;
  return { ...explanation, decision: undefined, unseen: places, text: `${open}\n${note}` };
}

interface Look {
  readonly explanation: Explanation;
  /** The judged call, where its input fits. */
  readonly judged?: ParsedCall;
  /** The members of the input that hold a length in place of a sensitive value. */
  readonly unseen?: Unseen | undefined;
}

function look(request: ExplainRequest, parts: GateParts): Look {
  const { principal, name } = request;
  const tool = parts.snapshot(principal.tenant).find(name);
  const admission = tool && admitCaller(tool, principal, parts);
  const mayKnow = admission?.admitted === true || principal.permissions.includes(EXPLAIN_CATALOGUE);
  const about = { tool: name, admission, decision: undefined };
  if (!tool || !admission || !mayKnow)
    return { explanation: { ...about, admission: undefined, visible: false, text: unknownToolMessage(name, principal, parts) } };
  if (!admission.admitted) {
    const failed = admission.checks.at(-1);
    const changes = admission.change && { changes: [admission.change] };
    return {
      explanation: { ...about, visible: false, ...changes, text: `Tool "${name}" is hidden (${failed?.check}): ${failed?.reason}` },
    };
  }
  const call = new Call(parts, { ...request, id: "call_explained", options: {} });
  const whatever = call.policy.decideTool(tool.facts);
  if (whatever.effect === "deny") {
    // What the policy denies whatever the input is not listed, so it is not called visible either.
    const text = `Tool "${name}" is not listed: the policy denies it for every input.\n${explainDecision(whatever)}`;
    return { explanation: { ...about, visible: false, decision: whatever, changes: changesOf(whatever), text } };
  }
  if (request.input === undefined) return { explanation: describeTool({ call, tool }, whatever, parts) };
  const seen = readUnseen(request.input, isHidden);
  const unseen = seen.places.length > 0 && sensitiveInput(tool, principal) ? seen : undefined;
  const parsed = parseCallInput(call, tool, request.input);
  if (parsed.end && !(unseen && isAboutUnseen(parsed.end, sensitiveInput(tool, principal)))) {
    const error = parsed.end.status === "failed" ? parsed.end.error : undefined;
    const misfit = error?.message ?? "";
    const issues = error?.code === "invalid_input" && { issues: issuesOf(error) };
    return {
      explanation: { ...about, visible: true, misfit, ...issues, changes: [fitting], text: `Tool "${name}" is visible. ${misfit}` },
    };
  }
  const judged = { call, tool, input: unseen || parsed.end ? unseen?.value : parsed.value, approved: false };
  return { explanation: tellUnseen(describeUnseen(judged, unseen, parts), unseen), judged, unseen };
}

/** True where nothing but lengths in place of sensitive members does not fit. */
function isAboutUnseen(end: CallResult, sensitive: Sensitive | undefined): boolean {
  return end.status === "failed" && end.error.code === "invalid_input" && issuesOf(end.error).every(({ path }) => sensitive?.covers(path));
}

/** What the tool says of an input that is not whole may throw. */
function describeUnseen(judged: ParsedCall, unseen: Unseen | undefined, parts: GateParts): Explanation {
  try {
    return describeCall(judged, { decision: decideCall(judged, parts), refusals: [] }, parts);
  } catch (error) {
    if (!unseen?.asked.size) throw error;
    return { tool: judged.tool.name, visible: true, admission: undefined, decision: undefined, text: "" };
  }
}

const fitting = { kind: "input", text: "Give an input that fits." } as const;

/** `fitInput` writes the issues of an input as the details of the error. */
const issuesOf = ({ details }: CallError) => details as unknown as readonly SchemaIssue[];

/** Without an input there is no yes, only what the policy says so far and what is still open. */
function describeTool({ call, tool }: Pick<ParsedCall, "call" | "tool">, decision: Decision, parts: GateParts): Explanation {
  const dependsOn = whatDecides(tool, call);
  const lines =
    dependsOn.length === 0
      ? []
      : ["Whether a call runs depends on its input:", ...dependsOn.map((each) => `  ${each}`), "Of the tool itself:"];
  const { sandbox } = call.policy;
  const machine = parts.machine(sandbox).sandbox;
  const obstacles =
    tool.facts.weight.starts !== undefined && !machine.available && sandbox.unavailable !== "ask"
      ? [
          asSentence(
            `commands are refused, because the sandbox ${JSON.stringify(sandbox.mode)} cannot be had on this machine: ${machine.detail}`,
          ),
        ]
      : [];
  const none = obstacles.map((obstacle) => `Does not run: ${obstacle}`);
  const text = [`Tool "${tool.name}" is visible.`, ...none, ...lines, explainDecision(decision)].join("\n");
  const changes = changesOf(decision, { refusals: obstacles });
  const open = {
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(obstacles.length > 0 && { obstacles }),
    ...(changes.length > 0 && { changes }),
  };
  return { tool: tool.name, visible: true, admission: admitCaller(tool, call.principal, parts), decision, ...open, text };
}

function whatDecides(tool: CompiledTool, call: Call): readonly string[] {
  const { required } = tool.input(schemaContextOf(call.principal)).json;
  const needed = Array.isArray(required) ? required.map(String) : [];
  return [
    ...(needed.length > 0 ? [`it must fit the schema, which requires ${needed.join(", ")}`] : []),
    ...tool.facts.weight.judged.map((what) => `the policy judges ${what}`),
  ];
}

interface Judgement {
  readonly decision: Decision;
  /** Refusals of capabilities, in words. */
  readonly refusals: readonly string[];
}

function describeCall(judged: ParsedCall, { decision, refusals }: Judgement, parts: GateParts): Explanation {
  const { call, tool } = judged;
  const { policy, principal, repairs } = call;
  const isDenied = decision.effect === "deny";
  const secrets = isDenied ? [] : missingSecrets(judged, parts);
  const obstacles = isDenied ? [] : [...secrets.map((name) => `the secret ${JSON.stringify(visibleText(name))} is not set.`), ...refusals];
  const question = { tool: tool.facts, reaches: reachesOf(judged), facts: parts.machine(policy.sandbox), principal };
  const counterfactual = explainCounterfactual(question, policy);
  const changes = changesOf(decision, { secrets, refusals: isDenied ? [] : refusals, counterfactual });
  const isAllowed = decision.effect === "allow" && obstacles.length > 0;
  const text = [
    `Tool "${tool.name}" is visible.`,
    ...repairs.map(({ path, what }) => `Repaired ${path || "/"}: ${visibleText(what)}`),
    ...obstacles.map((obstacle) => `Does not run: ${obstacle}`),
    isAllowed ? `The policy does not stand in its way (${decision.rule}).` : explainDecision(decision),
    ...counterfactual,
  ].join("\n");
  return {
    tool: tool.name,
    visible: true,
    admission: admitCaller(tool, principal, parts),
    decision,
    ...(repairs.length > 0 && { repairs }),
    ...(obstacles.length > 0 && { obstacles }),
    ...(changes.length > 0 && { changes }),
    text,
  };
}

/** What stands in the way of a call beside its decision. */
interface Obstacles {
  /** Names of secrets that the input names and nobody set. */
  readonly secrets?: readonly string[];
  /** Refusals of capabilities, in words. */
  readonly refusals?: readonly string[];
  /** What would let commands through, in sentences. */
  readonly counterfactual?: readonly string[];
}

const remembered = "Approve a call and remember it: calls like it then run without asking.";

/** What would let a call run unasked, each once; empty for one that does. */
function changesOf(decision: Decision, { secrets = [], refusals = [], counterfactual = [] }: Obstacles = {}): readonly PossibleChange[] {
  const standing = [decision, ...decision.findings].filter(({ effect }) => effect !== "allow");
  const remedies = standing.flatMap(({ remedy }) => remedy ?? []);
  const isGrantable = decision.effect === "ask" && standing.every(({ grantable, effect }) => effect === "ask" && grantable !== false);
  const policy = decision.effect === "allow" ? [] : [...new Set([...remedies, ...counterfactual])];
  return [
    ...secrets.map((name): PossibleChange => ({ kind: "secret", text: `Set the secret ${JSON.stringify(visibleText(name))}.` })),
    ...refusals.map((text): PossibleChange => ({ kind: "input", text })),
    ...policy.map((text): PossibleChange => ({ kind: "policy", text })),
    ...(isGrantable ? [{ kind: "grant" as const, text: remembered }] : []),
  ];
}

/** Those that the input names; those that the tool declares hide it. */
function missingSecrets(judged: ParsedCall, { secrets }: GateParts): readonly string[] {
  const { tenant, agent } = judged.call.principal;
  return [...new Set(credentialsOf(reachesOf(judged)))].filter((name) => !secrets.has(tenant, name, agent));
}

/** What capabilities would refuse where the call opens it. */
export async function refusalsOf(judged: ParsedCall): Promise<readonly string[]> {
  const { call, tool } = judged;
  const providers = tool.capabilities.map((name) => call.provider(name));
  const asked = reachesOf(judged).flatMap((reach) => providers.map((provider) => provider?.refusal?.(reach, call).catch(() => undefined)));
  return [...new Set((await Promise.all(asked)).filter((answer) => answer !== undefined))];
}
