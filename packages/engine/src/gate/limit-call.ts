import type { Decision } from "../contract/decision.ts";
import type { Reservation } from "../ports/limiter.ts";
import type { ParsedCall, Step } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** Gives back what was reserved, because the call did not run. */
export type ReleaseReservations = () => void;

const nothingReserved: ReleaseReservations = () => {};

/** Reserves the rates of the policy that count against this tool. */
export async function limitCall({ call, tool }: ParsedCall, decision: Decision, parts: GateParts): Promise<Step<ReleaseReservations>> {
  const rates = call.policy.ratesFor(tool.facts);
  if (rates.length === 0) return { value: nothingReserved };
  const granted: Extract<Reservation, { granted: true }>[] = [];
  const release = () => {
    for (const reservation of granted) reservation.release();
  };
  for (const { key, rate, rule } of rates) {
    const reservation = await parts.limiter.reserve(
      `${call.principal.tenant}/${call.principal.agent ?? call.principal.actor.id}/${key}`,
      rate,
      parts.clock.now(),
    );
    if (!reservation.granted) {
      release();
      return {
        end: call.failed({
          code: "rate_limited",
          message: rateMessage(rule, reservation.retryAfterMs),
          details: { rule, retryAfterMs: reservation.retryAfterMs, revision: decision.revision },
        }),
      };
    }
    granted.push(reservation);
  }
  return { value: release };
}

function rateMessage(rule: string, retryAfterMs: number): string {
  return `The rate limit ${rule} is used up. Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1000))} s.`;
}
