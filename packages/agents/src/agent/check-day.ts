import { ToolwrightError } from "@toolwright/engine";
import type { Clock, Turns } from "@toolwright/engine/ports";
import type { AgentProfile } from "./agent-profile.ts";

const dayMs = 24 * 60 * 60 * 1000;

interface DayParts {
  readonly turns: Pick<Turns, "usage">;
  readonly clock: Clock;
}

/** Rejects with `rate_limited` for an agent that took today what it may take in a day. */
export async function checkDay(tenant: string, { agent, limits }: AgentProfile, { turns, clock }: DayParts): Promise<void> {
  const { tokensADay = Number.POSITIVE_INFINITY, costADay = Number.POSITIVE_INFINITY } = limits;
  if (tokensADay === Number.POSITIVE_INFINITY && costADay === Number.POSITIVE_INFINITY) return;
  const now = clock.now();
  const [today] = await turns.usage({ tenant, by: "tenant", agent, since: now - (now % dayMs) });
  const tokens = today ? today.inputTokens + today.outputTokens : 0;
  const full = tokens >= tokensADay ? `${tokensADay} tokens` : (today?.cost ?? 0) >= costADay ? `${costADay} US dollars` : undefined;
  if (full === undefined) return;
  const message = `The agent ${agent} has used up its ${full} of today. It answers again from 00:00 UTC, or with a higher limit a day.`;
  throw new ToolwrightError("rate_limited", message);
}
