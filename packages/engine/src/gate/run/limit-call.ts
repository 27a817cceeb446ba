import type { Decision } from "../../contract/decision.ts";
import type { Policy } from "../../policy/compile-policy.ts";
import type { Reservation } from "../../ports/limiter.ts";
import type { Call, ParsedCall, Step } from "../call.ts";
import type { GateParts } from "../gate-parts.ts";

/** Gives back what was reserved, because the call did not run. */
export type ReleaseReservations = () => Promise<void>;

export const nothingToReserve: Step<ReleaseReservations> = { value: () => Promise.resolve() };

/** Reserves the rates of the policy that count against this tool. */
export function limitCall(
  parsed: ParsedCall,
  decision: Decision,
  parts: GateParts,
): Step<ReleaseReservations> | Promise<Step<ReleaseReservations>> {
  const rates = parsed.call.policy.ratesFor(parsed.tool.facts);
  return rates.length === 0 ? nothingToReserve : reserveAll(parsed.call, { rates, decision, parts });
}

interface Reserving {
  readonly rates: ReturnType<Policy["ratesFor"]>;
  readonly decision: Decision;
  readonly parts: GateParts;
}

async function reserveAll(call: Call, { rates, decision, parts }: Reserving): Promise<Step<ReleaseReservations>> {
  const granted: Extract<Reservation, { granted: true }>[] = [];
  const release = async () => {
    for (const reservation of granted) await reservation.release();
  };
  const { tenant, agent, actor } = call.principal;
  for (const { key, rate, rule } of rates) {
    const subject = { tenant, key: `${agent ?? actor.id}/${key}` };
    const reservation = await parts.limiter.reserve(subject, rate, parts.clock.now());
    if (!reservation.granted) {
      await release();
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
