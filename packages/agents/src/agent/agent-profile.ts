import { ToolwrightError } from "@toolwright/engine";
import { type AgentLimits, type Agents, catalogueMissing, hasAgent, type ListedSkill, type Skills } from "@toolwright/engine/ports";
import { writePrompt } from "./write-prompt.ts";

/** What a turn of an agent may take. */
export interface TurnLimits extends AgentLimits {
  readonly steps: number;
  readonly tokens: number;
  readonly callsPerStep: number;
  readonly callsAtOnce: number;
  readonly subAgents: number;
  readonly subAgentsAtOnce: number;
}

export const usualLimits: TurnLimits = {
  ...{ steps: 15, tokens: 200_000, callsPerStep: 16, callsAtOnce: 8 },
  ...{ subAgents: 8, subAgentsAtOnce: 4 },
};

/** What a sub-agent has from the turn that began it. */
interface TurnShare {
  /** Limits of that turn, whose budget it spends. */
  readonly limits: TurnLimits;
  /** Names and `group:` handles of the only tools that it gets. */
  readonly tools?: readonly string[];
}

/** What an agent is, for a turn: stored with it, so that a turn goes on as it began. */
export interface AgentProfile {
  readonly agent: string;
  readonly name: string;
  /** What requests begin with: the agent's instructions, then its skills. */
  readonly prompt: string;
  readonly hasSkills: boolean;
  /** `provider/name`; absent for the usual one. */
  readonly model?: string;
  readonly limits: TurnLimits;
  /** The share of a sub-agent in the budget. */
  readonly share?: TurnShare;
}

/** Where it is written what agents are. Without it there is the implied agent alone. */
export interface AgentSource {
  readonly agents?: Pick<Agents, "list"> | undefined;
  readonly skills?: Pick<Skills, "list"> | undefined;
}

/** Rejects with `catalogue_not_found`. */
export async function findProfile(tenant: string, agent: string, source: AgentSource): Promise<AgentProfile> {
  const known = (await source.agents?.list(tenant)) ?? [];
  if (!hasAgent(known, agent)) throw catalogueMissing("agent", agent);
  const found = known.find((each) => each.agent === agent);
  if (!found) return usualProfile(agent);
  const { name, instructions, model, limits } = found;
  const skills = await skillsOf(tenant, agent, source);
  return {
    ...{ agent, name, prompt: writePrompt(instructions, skills), hasSkills: skills.length > 0 },
    ...(model !== undefined && { model }),
    limits: { ...usualLimits, ...limits },
  };
}

/** Rejects with `catalogue_not_found`, and with `effect_refused` for an agent that accepts no others. */
export async function requireAccepting(tenant: string, agent: string, { agents }: AgentSource): Promise<void> {
  const found = (await agents?.list(tenant))?.find((each) => each.agent === agent);
  if (!found) throw catalogueMissing("agent", agent);
  if (found.acceptsAgents) return;
  throw new ToolwrightError("effect_refused", `The agent ${agent} accepts no other agents. Do the work yourself, or name another agent.`);
}

/** The profile of an agent that nobody described. */
export function usualProfile(agent: string): AgentProfile {
  return { agent, name: "Assistant", prompt: writePrompt(undefined, []), hasSkills: false, limits: usualLimits };
}

/** Skills that the agent has now. */
export async function skillsOf(tenant: string, agent: string, { skills }: AgentSource): Promise<readonly ListedSkill[]> {
  const all = (await skills?.list(tenant)) ?? [];
  return all.filter(({ agents }) => agents.includes(agent));
}
