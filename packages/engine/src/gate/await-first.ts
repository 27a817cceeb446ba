import { pause } from "../ports/clock.ts";
import type { IdempotencyState } from "../ports/idempotency-store.ts";
import type { ParsedCall } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";
import { defaultTimeoutMs } from "./run/execute-call.ts";

/** Milliseconds between looks: short at first, as most calls are. */
const firstPauseMs = 10;
const longestPauseMs = 500;

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
export async function awaitFirst(
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
