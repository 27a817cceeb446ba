import type { Principal } from "@toolwright/engine";
import type { Clock, Turns, TurnUsage, TurnUsageFilter } from "@toolwright/engine/ports";

/** Which turns are added up, and by what; without `since` those of a week. */
export interface UsageWanted extends Omit<TurnUsageFilter, "tenant" | "since"> {
  readonly since?: number | undefined;
}

export interface UsageSince {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly rows: readonly TurnUsage[];
}

/** What `ctx.agents` gives a tool that reads. */
export interface AgentUsage {
  /** What turns of the caller's tenant asked of models. */
  usage(wanted: UsageWanted): Promise<UsageSince>;
}

interface UsageParts {
  readonly turns: Pick<Turns, "usage">;
  readonly clock: Pick<Clock, "now">;
}

const weekMs = 7 * 24 * 60 * 60 * 1000;

export function agentUsage({ tenant }: Principal, { turns, clock }: UsageParts): AgentUsage {
  return {
    async usage({ since = clock.now() - weekMs, ...wanted }) {
      return { since, rows: await turns.usage({ ...wanted, since, tenant }) };
    },
  };
}
