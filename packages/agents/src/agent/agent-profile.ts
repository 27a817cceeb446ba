import { ToolwrightError } from "@toolwright/engine";
import { type Agents, catalogueMissing } from "@toolwright/engine/ports";

/** What a turn of an agent may take. */
export interface AgentLimits {
  /** Requests to the model in one turn; the last is without tools, to answer. */
  readonly steps: number;
  /** Tokens of all requests of one turn, in and out. */
  readonly tokens: number;
  /** US dollars of one turn; without a number there is no limit. A model without a price is refused where there is one. */
  readonly cost?: number | undefined;
  /** Identical calls with the same result that end the turn. */
  readonly repeats: number;
  /** Calls that one response may make. */
  readonly callsPerStep: number;
  /** Calls of one response that run at once. */
  readonly callsAtOnce: number;
  /** Sub-agents that one turn may begin. */
  readonly children: number;
  /** Sub-agents of one turn that run at once. */
  readonly childrenAtOnce: number;
}

export const usualLimits: AgentLimits = {
  ...{ steps: 15, tokens: 200_000, repeats: 6 },
  ...{ callsPerStep: 16, callsAtOnce: 8, children: 8, childrenAtOnce: 4 },
};

/** What an agent is, for a turn. */
export interface AgentProfile {
  readonly agent: string;
  readonly name: string;
  readonly instructions: string;
  /** `provider/name`; undefined for the usual one. */
  readonly model: string | undefined;
  readonly limits: AgentLimits;
}

/** The agent of a tenant that has made none. It is stored nowhere. */
export const impliedAgent = "assistant";

const usualInstructions =
  "You help people with the tools you have. Use a tool when it brings you closer to the answer, and say what you did. When a call is denied, say so and do not try to reach the same by other means.";

/** Rejects with `catalogue_not_found`. */
export async function findProfile(tenant: string, agent: string, agents: Pick<Agents, "list"> | undefined): Promise<AgentProfile> {
  const known = (await agents?.list(tenant)) ?? [];
  const found = known.find((each) => each.agent === agent);
  if (!found && (agent !== impliedAgent || known.length > 0)) throw catalogueMissing("agent", agent);
  return usualProfile(agent, found?.name);
}

/** Rejects with `catalogue_not_found`, and with `effect_refused` for an agent that accepts no others. */
export async function requireAccepting(tenant: string, agent: string, agents: Pick<Agents, "list"> | undefined): Promise<void> {
  const found = (await agents?.list(tenant))?.find((each) => each.agent === agent);
  if (!found) throw catalogueMissing("agent", agent);
  if (found.acceptsAgents) return;
  throw new ToolwrightError("effect_refused", `The agent ${agent} accepts no other agents. Do the work yourself, or name another agent.`);
}

export function usualProfile(agent: string, name = "Assistant"): AgentProfile {
  return { agent, name, instructions: usualInstructions, model: undefined, limits: usualLimits };
}
