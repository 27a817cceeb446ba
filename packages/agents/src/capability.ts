import type { Capability, CapabilityProvider } from "@toolwright/engine";
import { type AgentSkills, agentSkills } from "./agent/agent-skills.ts";
import { type AgentRuns, agentRuns, type RunsParts } from "./agent-runs.ts";

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Runs agents of the tenant, each of whose calls passes the gate by itself; reads what the calling agent has. */
    agents: Capability<"run", AgentRuns> | Capability<"read", AgentSkills>;
  }
}

/** Gives `ctx.agents`. `parts` is asked at the first call: it holds the engine that the capability is given to. */
export function agentsCapability(parts: () => RunsParts): CapabilityProvider<"agents"> {
  return {
    name: "agents",
    // What an agent does is weighed with the tools that it calls, each by itself.
    weigh: () => ({ changes: false, openWorld: false }),
    open: (effect, { callId, principal, signal, alive, artifacts }) =>
      effect === "read"
        ? agentSkills(principal, parts())
        : agentRuns({ callId, principal, signal, alive: () => alive(), artifacts }, parts()),
  };
}
