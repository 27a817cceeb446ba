import type { CallResult } from "../../contract/call.ts";
import { canonicalJson } from "../../contract/json.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { CallRef, StoredCall, Wait } from "../../ports/call-tree.ts";
import { pause } from "../../ports/clock.ts";
import { isRequester } from "../approvals/approval-access.ts";
import { describePending } from "../approvals/request-approval.ts";
import { Call, type ParsedCall } from "../call.ts";
import { decideAttended, heedCautions } from "../decide-call.ts";
import type { GateParts } from "../gate-parts.ts";
import { guardCall } from "../guard-call.ts";
import type { InvokeOptions } from "../invoke-options.ts";
import { keepEnding } from "../keep-ending.ts";
import { prepareCall } from "../prepare-call.ts";
import { executeAgain } from "../run/execute-call.ts";
import { ofSuspended, openInput } from "../sealed/sealed-inputs.ts";
import { leaseMs, TreeRun } from "./tree-run.ts";

/** Milliseconds between two looks at a call that another process goes on with. */
const lookMs = 100;
const noOptions: InvokeOptions = {};

/**
 * Goes on with a suspended call when nothing is missing any more, and gives how it ended; where another run goes on with it, waits for that one.
 * Undefined where no such call is kept. Never rejects but by the store.
 */
export async function resumeTree(ref: CallRef, options: InvokeOptions, parts: GateParts): Promise<CallResult | undefined> {
  const { callTree, clock, ids } = parts;
  for (;;) {
    const stored = await callTree.get(ref, clock.now());
    if (!stored || stored.result) return stored?.result && { ...stored.result, replayed: true };
    const holder = ids.next("run");
    const now = clock.now();
    const taken = await callTree.take(ref, { holder, until: now + leaseMs }, { now });
    if (taken) return runTaken(taken, { holder, options }, parts);
    const open = stored.isHeld ? undefined : await findOpen(ref.tenant, stored.call.waitsFor, parts);
    const call = callOf(stored, options, parts);
    if (open) return describePending(call, open);
    if (options.signal?.aborted) return call.cancelled("The caller stopped waiting; another process goes on with the call.");
    await pause(lookMs, clock, options.signal);
  }
}

/** Goes on with calls of any tenant that wait for nothing any more, and says how many there were. */
export async function resumeDue(limit: number, parts: GateParts): Promise<number> {
  const { callTree, clock, ids } = parts;
  const holder = ids.next("run");
  const now = clock.now();
  const taken = await callTree.takeDue({ holder, until: now + leaseMs }, { now, limit });
  await Promise.all(taken.map((one) => runTaken(one, { holder, options: noOptions }, parts)));
  return taken.length;
}

/** A suspended call that repeats this one: for clients that can only call again. */
export async function findSuspended({ call, tool, input }: ParsedCall, parts: GateParts): Promise<CallRef | undefined> {
  const { tenant } = call.principal;
  const waiting = await parts.callTree.list(tenant, { tool: tool.name, now: parts.clock.now() });
  const wanted = canonicalJson(input);
  for (const { call: other } of waiting) {
    if (!isRequester(call.principal, other) || canonicalJson(other.input) !== canonicalJson(call.input)) continue;
    const whole = await openInput(other, ofSuspended(tenant, other.callId), parts.sealer);
    if (canonicalJson(whole) === wanted) return { tenant, callId: other.callId };
  }
  return undefined;
}

function callOf({ call: kept }: StoredCall, given: InvokeOptions, parts: GateParts): Call {
  const { callId: id, key, principal, session, tool: name, createdAt, begunAt = createdAt } = kept;
  const options = key === undefined ? given : { ...given, idempotencyKey: key };
  return new Call(parts, { id, principal, session, name, options, begunAt });
}

function runTaken(
  taken: StoredCall,
  { holder, options }: { readonly holder: string; readonly options: InvokeOptions },
  parts: GateParts,
): CallResult | Promise<CallResult> {
  const call = callOf(taken, options, parts);
  const held = { tenant: call.principal.tenant, callId: call.id, holder };
  call.tree = new TreeRun(call, parts, { taken: { ...taken, held } });
  call.isAsked = true;
  const run = () => {
    if (taken.call.trace) call.span?.link(taken.call.trace);
    return goOn(call, taken, parts);
  };
  return guardCall(call, parts, () => keepEnding(call, parts, { run, frees: false }));
}

async function goOn(call: Call, { call: kept }: StoredCall, parts: GateParts): Promise<CallResult> {
  const tool = parts.snapshot(call.principal.tenant).find(kept.tool);
  if (tool?.hash !== kept.definition) {
    const what = tool ? `the definition of the tool "${kept.tool}" changed` : `the tool "${kept.tool}" is gone`;
    return call.failed({ code: "call_void", message: `The call ${call.id} cannot go on: ${what} while it waited. Make the call again.` });
  }
  const prepared = prepareCall(call, await openInput(kept, ofSuspended(call.principal.tenant, call.id), parts.sealer), parts);
  if (prepared.end) return prepared.end;
  // It was allowed, granted or approved when it began; what is denied now ends it.
  const decision = await heedCautions(prepared.value, decideAttended(prepared.value, parts), parts, true);
  if (decision.effect === "deny") return call.denied(decision);
  return executeAgain({ ...prepared.value, approved: kept.approved }, kept.decision, parts);
}

/** The first approval that nobody has answered yet. */
async function findOpen(tenant: string, waits: readonly Wait[], { approvals, clock }: GateParts): Promise<ApprovalRecord | undefined> {
  for (const { kind, id } of waits) {
    const stored = kind === "approval" ? await approvals.get(tenant, id) : undefined;
    if (stored && !stored.answer && stored.record.expiresAt > clock.now()) return stored.record;
  }
  return undefined;
}
