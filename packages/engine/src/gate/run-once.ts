import type { CallResult } from "../contract/call.ts";
import { digest } from "../contract/digest.ts";
import type { Principal } from "../contract/principal.ts";
import { lineageOf } from "../policy/ceiling/ceiling.ts";
import type { IdempotencyClaim, IdempotencyState } from "../ports/idempotency-store.ts";
import { resumeCall } from "./approvals/resume-call.ts";
import type { Call, ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { keepEnding } from "./keep-ending.ts";

/** Milliseconds that a key is remembered. */
const keptMs = 24 * 60 * 60 * 1000;
const longestKey = 255;

/** Runs the call unless one with the same key ran, runs or waits: then that one is the answer. Without a key it just runs. */
export async function runOnce(parsed: ParsedCall, parts: GateParts, run: () => CallResult | Promise<CallResult>): Promise<CallResult> {
  const { call } = parsed;
  const key = call.options.idempotencyKey ?? "";
  if (key.length === 0 || key.length > longestKey)
    return call.failed({
      code: "invalid_input",
      message: `An idempotency key has 1 to ${longestKey} characters; this one has ${key.length}.`,
    });
  const claim = claimOf(parsed, key, parts);
  const state = await claimKey(claim, parts);
  if (state.kind === "claimed") return keepEnding(call, parts, { run, frees: true });
  if (state.fingerprint !== claim.fingerprint)
    return call.failed({
      code: "idempotency_mismatch",
      message: "This idempotency key was used before with another tool or other input. Use a new key for a new call.",
      details: { callId: state.callId },
    });
  return state.kind === "running" ? inProgress(call, state.callId) : replay(call, { state, claim }, parts);
}

/** The key as the store has it: two callers never share one. */
export function idempotencyKeyOf(principal: Principal, key: string): string {
  const { tenant, actor, agent } = principal;
  return digest([tenant, actor, agent ?? null, lineageOf(principal), key]);
}

function claimOf({ call, tool, input }: ParsedCall, key: string, { clock }: GateParts): IdempotencyClaim {
  const at = clock.now();
  return {
    tenant: call.principal.tenant,
    key: idempotencyKeyOf(call.principal, key),
    fingerprint: digest([tool.name, input]),
    callId: call.id,
    at,
    expiresAt: at + keptMs,
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
  readonly claim: IdempotencyClaim;
}

/** What waits for a person goes on as soon as it can, as the call that it was. */
async function replay(call: Call, { state, claim }: Answered, parts: GateParts): Promise<CallResult> {
  call.isRecorded = true;
  const { result, callId } = state;
  const replayed: CallResult = { ...result, replayed: true };
  if (result.status !== "pending") return replayed;
  const stored = await parts.approvals.get(claim.tenant, result.approval.id);
  if (stored && !stored.answer && parts.clock.now() < stored.record.expiresAt) return replayed;
  const { principal, session, options } = call;
  const resumed = await resumeCall({ principal, session, approvalId: result.approval.id, options }, parts);
  if (resumed.status !== "failed") return resumed;
  const { code } = resumed.error;
  if (code === "approval_used") return afterUse(call, claim, parts);
  // It never ran and never will: the next call with this key asks anew.
  if (code === "approval_expired" || code === "approval_void" || code === "approval_not_found")
    await parts.idempotency.release({ tenant: claim.tenant, callId });
  return resumed;
}

/** Another one took the approval up: it runs, or has ended by now. */
async function afterUse(call: Call, claim: IdempotencyClaim, parts: GateParts): Promise<CallResult> {
  const state = await parts.idempotency.claim(claim);
  if (state.kind === "claimed") return keepEnding(call, parts, { run: () => inProgress(call, claim.callId), frees: true });
  const isEnded = state.kind === "answered" && state.result.status !== "pending";
  return isEnded ? { ...state.result, replayed: true } : inProgress(call, state.callId);
}

function inProgress(call: Call, first: string): CallResult {
  return call.failed({
    code: "idempotency_in_progress",
    message: `The first call with this idempotency key, ${first}, has not ended yet; nothing ran now. Ask again with the same key later.`,
    details: { callId: first },
  });
}
