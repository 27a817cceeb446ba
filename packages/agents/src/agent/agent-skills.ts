import { type Principal, ToolwrightError } from "@toolwright/engine";
import type { Skill } from "@toolwright/engine/ports";
import { type AgentSource, skillsOf } from "./agent-profile.ts";

/** What `ctx.agents` gives a tool that reads. */
export interface AgentSkills {
  /** One that the calling agent has. Rejects with `catalogue_not_found`. */
  skill(name: string): Promise<Skill>;
}

export function agentSkills({ tenant, agent }: Principal, source: AgentSource): AgentSkills {
  return {
    async skill(name) {
      const skills = agent === undefined ? [] : await skillsOf(tenant, agent, source);
      const found = skills.find(({ skill }) => skill === name);
      if (found) return found;
      const names = skills.map(({ skill }) => skill).join(", ") || "none";
      throw new ToolwrightError("catalogue_not_found", `You have no skill ${JSON.stringify(name)}. You have: ${names}.`);
    },
  };
}
