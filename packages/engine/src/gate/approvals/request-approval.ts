import type { CallResult, PendingResult } from "../../contract/call.ts";
import type { CallPlace } from "../../contract/call-place.ts";
import type { Decision, Finding } from "../../contract/decision.ts";
import { digest } from "../../contract/digest.ts";
import type { ForeignMark } from "../../contract/foreign.ts";
import { lineageOf } from "../../policy/ceiling/ceiling.ts";
import { credentialsOf } from "../../policy/request-text.ts";
import type { ApprovalBinding, ApprovalQuorum, ApprovalRecord } from "../../ports/approval-store.ts";
import type { Fingerprint, StandsFor } from "../../ports/capability.ts";
import { asQuestion, type Question, say } from "../../tool/question.ts";
import { type Call, type ParsedCall, reachesOf } from "../call.ts";
import { sessionsOf } from "../foreign/sessions-of.ts";
import type { GateParts } from "../gate-parts.ts";
import type { InvokeOptions } from "../invoke-options.ts";
import { digestOf, ofApproval, sealInput } from "../sealed/sealed-inputs.ts";

/** What an approval holds still, and why that is not possible if it is not. */
interface Bound {
  readonly binding: ApprovalBinding;
  readonly unsettled: string | undefined;
  readonly standsFor: readonly StandsFor[];
}

/** What an approval of this call is bound to: when any of it differs later, the approval is void. */
export async function bindingOf(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<Bound> {
  const { call, tool, input } = parsed;
  const { tenant, actor, agent, onBehalfOf } = call.principal;
  const world = await fingerprintReaches(parsed);
  const marks = call.redactor.redactJson(world.flatMap((print) => print?.parts ?? []));
  const named = [...(tool.effects.secrets ?? []), ...credentialsOf(reachesOf(parsed))];
  const secrets = named.map((name) => [name, parts.secrets.generation(tenant, name, agent)]);
  const files = await digestFiles(call);
  const binding: ApprovalBinding = {
    input: await digestOf(parsed, input, parts),
    ...(files !== undefined && { files }),
    definition: tool.hash,
    ...(tool.code.length > 0 && { code: tool.code }),
    policyRevision: call.policy.revision,
    secrets: digest(secrets),
    caller: digest([tenant, actor, agent ?? null, lineageOf(call.principal), ...(onBehalfOf === undefined ? [] : [onBehalfOf])]),
    disclosed: digest(decision.findings.filter(({ effect }) => effect === "ask").map(disclosedOf)),
    world: await digestOf(
      parsed,
      world.map((print) => print?.digest ?? null),
      parts,
    ),
    ...(marks.length > 0 && { parts: marks }),
  };
  return {
    binding,
    unsettled: world.find((print) => print?.unsettled !== undefined)?.unsettled,
    standsFor: world.flatMap((print) => print?.standsFor ?? []),
  };
}

/** Digest of the files that the call came with; a call inside another one has the files of that. */
async function digestFiles({ place, options: { attachments = [] } }: Call): Promise<string | undefined> {
  if (place || attachments.length === 0) return undefined;
  const files = attachments.map(async ({ name, mediaType, bytes }) => [name, mediaType, Buffer.from(await bytes()).toString("base64")]);
  return digest(await Promise.all(files));
}

/** What a person judges by. Words that vary with the machine are left to the record. */
function disclosedOf({ layer, rule, subject, risk, quorum }: Finding) {
  return { layer, rule, subject: subject ?? null, risk: risk ?? null, quorum: quorum ? { ...quorum } : null };
}

async function fingerprintReaches(parsed: Pick<ParsedCall, "call" | "tool" | "input">): Promise<readonly (Fingerprint | undefined)[]> {
  const { call, tool } = parsed;
  const providers = tool.capabilities.flatMap((name) => call.provider(name) ?? []);
  const caller = { principal: call.principal, session: call.session, sandbox: call.policy.sandbox, paths: call.paths };
  const asked = reachesOf(parsed).flatMap((reach) => providers.map((provider) => provider.fingerprint?.(reach, caller)));
  return (await Promise.all(asked)).map((answer) => (typeof answer === "string" ? { digest: answer } : answer));
}

/** Turns `ask` into a durable record and ends the call as pending. */
export async function requestApproval(parsed: ParsedCall, decision: Decision, parts: GateParts): Promise<CallResult> {
  const { call, tool } = parsed;
  const now = parts.clock.now();
  const quorum = quorumOf(decision);
  const { binding, unsettled, standsFor } = await bindingOf(parsed, decision, parts);
  if (unsettled !== undefined) return denyUnsettled(parsed, unsettled);
  const { place, options } = call;
  if (place && options.attachments?.length) return denyUnsettled(parsed, `${filesOfRoot(place)} ${decision.reason}`);
  const foreign = await findUnnamed(call, decision, parts);
  call.openSpan();
  const id = parts.ids.next("apr");
  const record: ApprovalRecord = {
    id,
    callId: call.id,
    tool: tool.name,
    principal: call.principal,
    session: call.session,
    ...(place && { place }),
    ...(await sealInput(parsed, ofApproval(call.principal.tenant, id), parts)),
    binding,
    decision,
    summary: askInWords(parsed, parts),
    ...(standsFor.length > 0 && { standsFor: call.redactor.redactJson(standsFor) }),
    ...(quorum && { quorum }),
    ...(foreign && { foreign }),
    ...(call.span?.context && { trace: call.span.context }),
    createdAt: now,
    expiresAt: now + parts.approvalTtlMs,
  };
  if (binding.files !== undefined)
    call.notes.push(`The files that came with this call are not kept while it waits. Once it is approved, ${howAgain(options)}.`);
  await call.tree?.ask(call.step, record);
  await parts.approvals.create(record);
  return describePending(call, record);
}

/** What a person is asked about the call, for every door: the tool's own words, else its title, its input and what its effects come to. */
function askInWords({ call, tool }: ParsedCall, { logger }: Pick<GateParts, "logger">): Question {
  // Sensitive members are lengths here.
  const { input, redactor } = call;
  try {
    const asked = tool.definition.ask?.(input as never, say);
    if (asked) return asQuestion(redactor.redact(asked));
  } catch (error) {
    logger.log("warn", "A tool could not say what it asks.", { tool: tool.name, callId: call.id, error: redactor.redact(String(error)) });
  }
  const given = redactor.redact(JSON.stringify(input));
  return asQuestion(`${tool.title}${given === "{}" ? "" : say` with ${given}`}? ${consequenceOf(tool)}`);
}

function consequenceOf({ hints: { readOnlyHint, destructiveHint, openWorldHint } }: ParsedCall["tool"]): string {
  const what = readOnlyHint ? "changes nothing" : destructiveHint ? "may remove data" : "may change data";
  return `As declared, it ${what}${openWorldHint ? " and reaches other machines" : ""}.`;
}

function howAgain({ idempotencyKey, takeUpWaiting }: InvokeOptions): string {
  if (idempotencyKey !== undefined) return "make it again with the same files and the same idempotency key";
  return takeUpWaiting ? "make it again with the same files" : "resume it with the same files";
}

/** Its handler runs from the start once the step is answered, in any process. */
const filesOfRoot = ({ chain: [root] }: CallPlace) =>
  `The files that came with the call ${root} are not kept while a call inside it waits for a person. Allow this step by the policy or a grant, or make the call without files.`;

/** What the session had read first that nobody here wrote, where no finding names it. A person is asked also where that cannot be found out. */
async function findUnnamed(
  { principal, session, id: callId }: Call,
  { findings }: Decision,
  { foreign, logger }: Pick<GateParts, "foreign" | "logger">,
): Promise<ForeignMark | undefined> {
  if (findings.some((finding) => finding.foreign)) return undefined;
  try {
    return (await foreign.of(principal.tenant, sessionsOf(principal, session)))[0];
  } catch (error) {
    logger.log("warn", "An approval does not say what its session has read: that could not be found out.", {
      callId,
      error: String(error),
    });
    return undefined;
  }
}

/** A yes would be worth nothing: what runs could be another thing by then. */
function denyUnsettled({ call }: Pick<ParsedCall, "call">, reason: string): CallResult {
  const finding = { effect: "deny" as const, layer: "tool" as const, rule: "approval.unsettled", reason };
  return call.denied({ ...finding, revision: call.policy.revision, findings: [finding] });
}

/** All that the findings demand, at once. */
function quorumOf({ findings }: Decision): ApprovalQuorum | undefined {
  const demanded = findings.flatMap(({ effect, quorum }) => (effect === "ask" && quorum ? [quorum] : []));
  if (demanded.length === 0) return undefined;
  return {
    approvers: Math.max(1, ...demanded.map(({ approvers }) => approvers)),
    permissions: [...new Set(demanded.flatMap(({ permission }) => permission ?? []))],
    notRequester: demanded.some(({ notRequester }) => notRequester === true),
  };
}

/** The answer to a call that waits for this approval. */
export function describePending(call: Call, { id, summary, decision, expiresAt }: ApprovalRecord): PendingResult {
  call.isAsked = true;
  return { ...call.facts(), status: "pending", approval: { id, summary, reason: decision.reason, expiresAt }, decision };
}
