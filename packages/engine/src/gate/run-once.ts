import type { CallResult } from "../contract/call.ts";
import { digest } from "../contract/digest.ts";
import type { Principal } from "../contract/principal.ts";
import { lineageOf } from "../policy/ceiling/ceiling.ts";
import { pause } from "../ports/clock.ts";
import { type IdempotencyClaim, type IdempotencyState, keyKeptMs } from "../ports/idempotency-store.ts";
import { resumeCall } from "./approvals/resume-call.ts";
import type { Call, ParsedCall } from "./call.ts";
import { decideCall, heedCautions } from "./decide-call.ts";
import type { GateParts } from "./gate-parts.ts";
import { keepEnding } from "./keep-ending.ts";
import { claimAndStart, defaultTimeoutMs, startsAtOnce } from "./run/execute-call.ts";
import { digestOf } from "./sealed/sealed-inputs.ts";
import { resumeTree } from "./tree/resume-tree.ts";

const longestKey = 255;

/** Milliseconds between looks: short at first, as most calls are. */
const firstPauseMs = 10;
const longestPauseMs = 500;

/**
 * Runs the call unless one with the same key ran, runs or waits for a person: then that one is the answer. For one that runs it waits, up to its
 * own time limit.
 */
export async function runOnce(parsed: ParsedCall, parts: GateParts, run: () => CallResult | Promise<CallResult>): Promise<CallResult> {
  const { call } = parsed;
  const key = call.options.idempotencyKey ?? "";
  if (key.length === 0 || key.length > longestKey)
    return call.failed({
      code: "invalid_input",
      message: `An idempotency key has 1 to ${longestKey} characters; this one has ${key.length}.`,
    });
  const fingerprint = await digestOf(parsed, [parsed.tool.name, parsed.input], parts);
  const claim = () => claimOf(parsed, key, { fingerprint, parts });
  const begun = startsAtOnce(parsed, parts) ? await startAllowed(parsed, claim(), parts) : undefined;
  if (begun) return keepEnding(call, parts, { run: begun, frees: true });
  const look = () => claimKey(claim(), parts);
  const isOther = (state: IdempotencyState) => state.kind !== "claimed" && state.fingerprint !== fingerprint;
  const isOpen = (state: IdempotencyState) => state.kind === "running" && !isOther(state);
  const state = await awaitFirst(parsed, await look(), { look, isOpen, clock: parts.clock });
  if (state.kind === "claimed")
    return keepEnding(call, parts, { run: call.options.preparation?.again ? () => unasked(call) : run, frees: true });
  if (isOther(state))
    return call.failed({
      code: "idempotency_mismatch",
      message: "This idempotency key was used before with another tool or other input. Use a new key for a new call.",
      details: { callId: state.callId },
    });
  return state.kind === "running" ? inProgress(call, state.callId) : replay(parsed, { state, look }, parts);
}

interface Awaiting {
  /** Claims the key anew: where the first call left it free, this one has it. */
  readonly look: () => Promise<IdempotencyState>;
  /** True while it is not known how the first call ended. */
  readonly isOpen: (state: IdempotencyState) => boolean;
}

/**
 * Waits until it is known how the first call with the key ended, whichever process runs it, or its key is free. Gives back the last state when
 * the time limit of this call is over, or its caller cancels.
 */
async function awaitFirst(
  { call, tool }: Pick<ParsedCall, "call" | "tool">,
  state: IdempotencyState,
  { look, isOpen, clock }: Awaiting & Pick<GateParts, "clock">,
): Promise<IdempotencyState> {
  const { signal } = call.options;
  const endsAt = clock.monotonic() + (tool.definition.limits?.timeoutMs ?? defaultTimeoutMs);
  let last = state;
  for (let pauseMs = firstPauseMs; isOpen(last) && !signal?.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const leftMs = endsAt - clock.monotonic();
    if (leftMs <= 0) break;
    await pause(Math.min(pauseMs, leftMs), clock, signal);
    if (!signal?.aborted) last = await look();
  }
  return last;
}

/** One write less for what the policy allows as it is; undefined for any other, and where another call has the key. */
async function startAllowed(parsed: ParsedCall, claim: IdempotencyClaim, parts: GateParts) {
  const decision = await heedCautions(parsed, decideCall(parsed, parts), parts);
  return decision.effect === "allow" ? claimAndStart(parsed, decision, { claim, parts }) : undefined;
}

/** The key as the store has it: two callers never share one. */
export function idempotencyKeyOf(principal: Principal, key: string): string {
  const { tenant, actor, agent, onBehalfOf } = principal;
  return digest([tenant, actor, agent ?? null, lineageOf(principal), key, ...(onBehalfOf === undefined ? [] : [onBehalfOf])]);
}

function claimOf(
  { call }: ParsedCall,
  key: string,
  { fingerprint, parts }: { readonly fingerprint: string; readonly parts: GateParts },
): IdempotencyClaim {
  const at = parts.clock.now();
  return {
    tenant: call.principal.tenant,
    key: idempotencyKeyOf(call.principal, key),
    fingerprint,
    callId: call.id,
    at,
    expiresAt: at + keyKeptMs,
  };
}

async function claimKey(claim: IdempotencyClaim, { idempotency }: GateParts): Promise<IdempotencyState> {
  try {
    return await idempotency.claim(claim);
  } catch (error) {
    // It may have been claimed all the same: only the answer was lost.
    await idempotency.release(claim).catch(() => undefined);
    throw error;
  }
}

interface Answered {
  readonly state: Extract<IdempotencyState, { kind: "answered" }>;
  readonly look: () => Promise<IdempotencyState>;
}

/** What waits for a person goes on as soon as it can, as the call that it was. */
async function replay(parsed: ParsedCall, { state, look }: Answered, parts: GateParts): Promise<CallResult> {
  const { call } = parsed;
  call.isRecorded = true;
  const { result, callId } = state;
  const replayed: CallResult = { ...result, replayed: true };
  if (result.status !== "pending") return replayed;
  const { principal, session, options } = call;
  const stored = await parts.approvals.get(principal.tenant, result.approval.id);
  if (stored && !stored.answer && parts.clock.now() < stored.record.expiresAt) return replayed;
  const isOwn = stored?.record.callId === callId;
  const resumed = isOwn
    ? await resumeCall({ principal, session, approvalId: result.approval.id, options, isOwn }, parts)
    : await resumeWaiting(parsed, { callId, approvalId: result.approval.id }, parts);
  if (resumed.status !== "failed") return resumed;
  const { code } = resumed.error;
  if (code === "approval_used") return afterUse(parsed, { state, look }, parts);
  // It never ran and never will: the next call with this key asks anew.
  if (code === "approval_expired" || code === "approval_void" || code === "approval_not_found")
    await parts.idempotency.release({ tenant: principal.tenant, callId });
  return resumed;
}

/** A call that waits for another one's approval: a step of it, or what it keeps a record of. */
async function resumeWaiting(
  { call }: ParsedCall,
  { callId, approvalId }: { readonly callId: string; readonly approvalId: string },
  parts: GateParts,
): Promise<CallResult> {
  const { principal, session, options } = call;
  const resumed = options.preparation ? undefined : await resumeTree({ tenant: principal.tenant, callId }, options, parts);
  return resumed ?? resumeCall({ principal, session, approvalId, options }, parts);
}

/** Another one took the approval up: it runs, or has ended by now. */
async function afterUse(parsed: ParsedCall, { state: before, look }: Answered, parts: GateParts): Promise<CallResult> {
  const { call } = parsed;
  const isOpen = (state: IdempotencyState) => state.kind === "running" || (state.kind === "answered" && state.result.status === "pending");
  const state = await awaitFirst(parsed, await look(), { look, isOpen, clock: parts.clock });
  if (state.kind === "claimed") return keepEnding(call, parts, { run: () => inProgress(call, before.callId), frees: true });
  const isEnded = state.kind === "answered" && state.result.status !== "pending";
  return isEnded ? { ...state.result, replayed: true } : inProgress(call, state.callId);
}

function unasked(call: Call): CallResult {
  return call.failed({
    code: "approval_not_found",
    message: `No approval was asked for this call of "${call.name}" here, or it expired. Make the call again to ask.`,
  });
}

function inProgress(call: Call, first: string): CallResult {
  if (call.options.signal?.aborted) return call.cancelled("The caller cancelled the call while it waited for the first one with its key.");
  return call.failed({
    code: "idempotency_in_progress",
    message: `The first call with this idempotency key, ${first}, has not ended yet; nothing ran now. Ask again with the same key later.`,
    details: { callId: first },
  });
}
