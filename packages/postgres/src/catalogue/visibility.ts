import type { TenantToolRows, TenantTools } from "@toolwright/engine/catalogue";
import type { VisibilityFacts } from "@toolwright/engine/ports";
import type { TenantFacts } from "./tenant-facts.ts";

/** The tenant whose rows hold for every tenant that has none of its own. */
export const defaultTenant = "default";

type Facts = (tenant: string) => TenantFacts | undefined;

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
      const agents = facts(tenant)?.agents;
      // A tenant without agents here describes them elsewhere, as in its policy.
      if (!agents || agents.size === 0) return undefined;
      const known = agents.get(agent);
      if (!known) return { enabled: false, reason: `There is no agent "${agent}". Make it with: toolwright agents create ${agent}` };
      const row = known.tools.get(tool);
      if (row || !known.restricted) return row;
      return { enabled: false, reason: `It is not enabled for agent "${agent}". Enable it on the agent, or a skill that needs it.` };
    },
    agentFeature: (tenant, agent, feature) => facts(tenant)?.agents.get(agent)?.featuresOff.has(feature) !== true,
    acceptsAgentChannel: (tenant, agent) => facts(tenant)?.agents.get(agent)?.acceptsAgents ?? false,
  };
}

/** The rows of tools by tenant: those of all tenants first. */
export function createTenantTools(facts: Facts, onChange: TenantTools["onChange"]): TenantTools {
  const joined = new Map<
    string,
    { readonly own: TenantToolRows | undefined; readonly all: TenantToolRows | undefined; readonly rows: TenantToolRows }
  >();
  return {
    onChange,
    of(tenant) {
      const own = facts(tenant)?.tools;
      const all = tenant === defaultTenant ? undefined : facts(defaultTenant)?.tools;
      if (!own?.custom.length && !own?.overrides.length && !all?.overrides.length) return undefined;
      const last = joined.get(tenant);
      if (last && last.own === own && last.all === all) return last.rows;
      const rows = { overrides: [...(all?.overrides ?? []), ...(own?.overrides ?? [])], custom: own?.custom ?? [] };
      joined.set(tenant, { own, all, rows });
      return rows;
    },
  };
}
