/** What rows say of one tool for one agent. */
export interface AgentToolRow {
  readonly enabled: boolean;
  /** A sentence that says which row says so. */
  readonly reason: string;
  /** What enables it, also where another row switches it off: `manual`, `default`, or `skill` with its name. */
  readonly enabledBy?: readonly string[];
}

/** Enablement of tools per tenant and agent. *Contract:* synchronous, from a cache: listing asks it for every tool. */
export interface VisibilityFacts {
  /** A per-tenant row: `off` removes a custom tool, `on` admits a system tool that is opt-in. */
  tenantRow(tenant: string, tool: string): "on" | "off" | undefined;
  /** The enabled tools of an agent, or undefined when the agent is not restricted by rows. */
  agentTools(tenant: string, agent: string): ReadonlySet<string> | undefined;
  /** More exact than `agentTools`, which is then not asked: undefined when rows say nothing of this tool and the agent is not restricted. */
  agentTool?(tenant: string, agent: string, tool: string): AgentToolRow | undefined;
  /** Names of the agents that are stored; undefined where nobody knows. */
  agents?(tenant: string): readonly string[] | undefined;
  /** False when the feature is switched off for the agent. */
  agentFeature?(tenant: string, agent: string, feature: string): boolean;
  /** True when the agent may be called by other agents. */
  acceptsAgentChannel(tenant: string, agent: string): boolean;
}

export const everythingEnabled: VisibilityFacts = {
  tenantRow: () => undefined,
  agentTools: () => undefined,
  acceptsAgentChannel: () => false,
};
