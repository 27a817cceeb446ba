/** When a tool is there at all. */
export interface ToolVisibility {
  /** Only these tenants. */
  readonly tenants?: readonly string[];
  /** Needs a tenant row `on`. */
  readonly optIn?: boolean;
  /** Attribute of the principal that must not be false, e.g. `memory`. */
  readonly feature?: string;
  /** Only in runtimes that admit this category. */
  readonly harness?: string;
  /** Only for agents that accept calls by agents. */
  readonly agentChannel?: boolean;
}
