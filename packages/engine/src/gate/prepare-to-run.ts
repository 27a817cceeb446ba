import type { CallResult, Repair } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { CallRequest } from "./gate.ts";
import { passGate } from "./gate.ts";
import type { GateParts } from "./gate-parts.ts";
import type { Preparation } from "./invoke-options.ts";

export interface PrepareOptions {
  /** The `idempotencyKey` that the call will have: the same key finds the same approval. 1 to 255 characters. */
  readonly key: string;
  /** True for a call that was prepared before: a key that was never used then fails with `approval_not_found`, and nobody is asked. */
  readonly again?: boolean;
  readonly signal?: AbortSignal;
}

/** A call that runs when it is made now with its key. */
export interface ReadyCall {
  readonly status: "ready";
  readonly tool: string;
  readonly decision: Decision;
  /** Id of the approval that the call uses up; absent where policy or grants let it run. */
  readonly approval?: string;
  readonly repairs: readonly Repair[];
}

/** What a call will meet: `ready`, or how it ends without running. With a key that was used before, how that call ended. */
export type PreparedCall = ReadyCall | CallResult;

/** Takes a call through every stage before its run. Never rejects. */
export async function prepareToRun(
  request: Omit<CallRequest, "options">,
  { key, again = false, signal }: PrepareOptions,
  parts: GateParts,
): Promise<PreparedCall> {
  const preparation: Preparation = { again };
  const options = { idempotencyKey: key, preparation, ...(signal && { signal }) };
  const result = await passGate({ ...request, options }, parts);
  const { decision, approval } = preparation;
  if (!decision) return result;
  return { status: "ready", tool: request.name, decision, ...(approval !== undefined && { approval }), repairs: result.repairs };
}
