import type { Capability, CapabilityProvider } from "@toolwright/engine";
import { type AgentSkills, agentSkills } from "./agent/agent-skills.ts";
import { type AgentUsage, agentUsage } from "./agent/agent-usage.ts";
import { type AgentRuns, agentRuns } from "./agent-runs.ts";
import { type AgentTasks, agentTasks } from "./agent-tasks.ts";
import type { RunsParts } from "./go-on.ts";
import { RunningTurns } from "./running-turns.ts";

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Runs agents of the tenant, each of whose calls passes the gate by itself; reads what the calling agent has and began, and what agents of the tenant took. */
    agents: Capability<"run", AgentRuns> | Capability<"read", AgentSkills & AgentTasks & AgentUsage>;
  }
}

/**
 * Gives `ctx.agents`. `parts` is asked at the first call: it holds the engine that the capability is given to. `turns` are those that run in this
 * process, which `modelCapability` counts against.
 */
export function agentsCapability(parts: () => RunsParts, turns = new RunningTurns()): CapabilityProvider<"agents"> {
  return {
    name: "agents",
    // What an agent does is weighed with the tools that it calls, each by itself.
    weigh: () => ({ changes: false, openWorld: false }),
    open: (effect, { callId, tool, key, principal, session, network, signal, alive, artifacts }) =>
      effect === "read"
        ? { ...agentSkills(principal, parts()), ...agentTasks({ principal, session, signal }, parts()), ...agentUsage(principal, parts()) }
        : agentRuns({ callId, tool, key, principal, session, network, signal, alive: () => alive(), artifacts }, parts(), turns),
  };
}
