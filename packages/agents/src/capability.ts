import type { Capability, CapabilityProvider } from "@toolwright/engine";
import { type AgentRuns, agentRuns } from "./agent-runs.ts";
import type { RunsParts } from "./go-on.ts";
import { Slots } from "./sub-agents.ts";

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** Runs agents of the tenant, each of whose calls passes the gate by itself. */
    agents: Capability<"run", AgentRuns>;
  }
}

/** Gives `ctx.agents`. `parts` is asked at the first call: it holds the engine that the capability is given to. */
export function agentsCapability(parts: () => RunsParts): CapabilityProvider<"agents"> {
  const slots = new Slots();
  return {
    name: "agents",
    // What an agent does is weighed with the tools that it calls, each by itself.
    weigh: () => ({ changes: false, openWorld: false }),
    open: (_effect, { callId, key, principal, session, signal, alive }) =>
      agentRuns({ callId, key, principal, session, signal, alive: () => alive() }, parts(), slots),
  };
}
