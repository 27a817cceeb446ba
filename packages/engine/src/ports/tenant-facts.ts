import { isTarget } from "./agent-tool-name.ts";
import type { Agent, AgentTool } from "./catalogue-store.ts";
import { defaultTenant } from "./tenant-store.ts";
import type { TenantToolRows, TenantTools } from "./tenant-tools.ts";
import type { AgentToolRow, VisibilityFacts } from "./visibility-facts.ts";

export interface AgentFacts {
  readonly restricted: boolean;
  readonly acceptsAgents: boolean;
  readonly featuresOff: ReadonlySet<string>;
  readonly tools: ReadonlyMap<string, AgentToolRow>;
}

/** What rows say of one tenant at one revision. */
export interface TenantFacts {
  readonly revision: number;
  readonly tenantRows: ReadonlyMap<string, "on" | "off">;
  readonly agents: ReadonlyMap<string, AgentFacts>;
  /** The same object as before while its rows are equal. */
  readonly tools: TenantToolRows;
}

type Facts = (tenant: string) => TenantFacts | undefined;

/** What the rows of an agent come to. */
export function toAgentFacts({ agent, restricted, acceptsAgents, features }: Omit<Agent, "name">, rows: readonly AgentTool[]): AgentFacts {
  return {
    restricted,
    acceptsAgents,
    featuresOff: new Set(Object.keys(features).filter((feature) => features[feature] === false)),
    tools: new Map([...Map.groupBy(rows, ({ tool }) => tool)].map(([tool, some]) => [tool, judgeSources(agent, some)])),
  };
}

const reasonOf: Readonly<Partial<Record<AgentTool["source"], string>>> = {
  manual: "somebody enabled it",
  default: "the agent was made with it",
};

/** A row that switches off wins; what enables is told whole, so that nobody disables one source and wonders. */
function judgeSources(agent: string, sources: readonly AgentTool[]): AgentToolRow {
  const enabledBy = sources
    .filter(({ enabled }) => enabled)
    .map(({ source, skill }) => (skill === undefined ? source : `skill ${skill}`))
    .sort();
  if (enabledBy.length < sources.length)
    return { enabled: false, reason: `It is switched off for agent "${agent}". Enable it on the agent.`, enabledBy };
  const skills = sources.flatMap(({ skill }) => (skill === undefined ? [] : [`"${skill}"`]));
  const reasons = sources.flatMap(({ source }) => reasonOf[source] ?? []);
  if (skills.length > 0) reasons.push(`it is needed by skill ${skills.join(", ")}`);
  return { enabled: true, reason: `It is enabled for agent "${agent}": ${reasons.join(", and ")}.`, enabledBy };
}

/** `next`, or the object that was there before when it says the same. */
export function keepEqualRows(next: TenantToolRows, last: TenantToolRows | undefined): TenantToolRows {
  return last && JSON.stringify(last) === JSON.stringify(next) ? last : next;
}

/** What admission asks, answered from facts in memory. */
export function createVisibility(facts: Facts): VisibilityFacts {
  return {
    tenantRow: (tenant, tool) => facts(tenant)?.tenantRows.get(tool) ?? facts(defaultTenant)?.tenantRows.get(tool),
    agentTools(tenant, agent) {
      const known = facts(tenant)?.agents.get(agent);
      if (!known?.restricted) return undefined;
      return new Set([...known.tools].filter(([, { enabled }]) => enabled).map(([tool]) => tool));
    },
    agentTool(tenant, agent, tool) {
      const known = facts(tenant)?.agents.get(agent);
      // One that is not stored is described elsewhere: by the policy, or by the coding agent that it is. The keys of one that was deleted are revoked.
      if (!known) return undefined;
      const row = known.tools.get(tool);
      if (row || !known.restricted) return row;
      return { enabled: false, reason: `It is not enabled for agent "${agent}". Enable it on the agent, or a skill that needs it.` };
    },
    agents(tenant) {
      const known = facts(tenant);
      return known && [...known.agents.keys()];
    },
    agentFeature: (tenant, agent, feature) => facts(tenant)?.agents.get(agent)?.featuresOff.has(feature) !== true,
    acceptsAgentChannel: (tenant, agent) => facts(tenant)?.agents.get(agent)?.acceptsAgents ?? false,
  };
}

interface JoinedRows {
  readonly own: TenantFacts | undefined;
  readonly all: TenantToolRows | undefined;
  readonly rows: TenantToolRows | undefined;
}

/** The rows of tools by tenant: those of all tenants first. */
export function createTenantTools(facts: Facts, onChange: TenantTools["onChange"]): TenantTools {
  const joined = new Map<string, JoinedRows>();
  return {
    onChange,
    of(tenant) {
      const own = facts(tenant);
      const all = tenant === defaultTenant ? undefined : facts(defaultTenant)?.tools;
      const last = joined.get(tenant);
      if (last && last.own === own && last.all === all) return last.rows;
      const rows = joinRows({ own, all }, last);
      joined.set(tenant, { own, all, rows });
      return rows;
    },
  };
}

function joinRows({ own, all }: Omit<JoinedRows, "rows">, last: JoinedRows | undefined): TenantToolRows | undefined {
  const { custom = [], overrides = [] } = own?.tools ?? {};
  const agents = [...(own?.agents ?? [])]
    .filter(([agent, { acceptsAgents }]) => acceptsAgents && isTarget(agent))
    .map(([agent]) => agent)
    .sort();
  if (custom.length + overrides.length + (all?.overrides.length ?? 0) + agents.length === 0) return undefined;
  const isSame = last?.own?.tools === own?.tools && last?.all === all && last?.rows?.agents?.join() === agents.join();
  return isSame ? last?.rows : { overrides: [...(all?.overrides ?? []), ...overrides], custom, agents };
}
