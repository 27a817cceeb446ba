import { sectionsOf } from "@toolwright/engine/policy";
import { nearestName } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";
import { inTenant } from "../../output/in-tenant.ts";

/** Throws for an agent that neither the tenant nor the policy has. Where these have none, agents are described elsewhere, so any name may be one. */
export async function requireKnownAgent({ store, policy }: Toolwright, tenant = localTenant, agent?: string): Promise<void> {
  if (agent === undefined) return;
  const ofPolicy = sectionsOf(policy.file).flatMap((section) => section.agent ?? []);
  const names = new Set([...(await agentsOf(store.catalogue, tenant)), ...ofPolicy]);
  refuseUnknown(agent, tenant, { names: [...names], where: inTenant(tenant) });
}

async function agentsOf(catalogue: Store["catalogue"], tenant: string): Promise<readonly string[]> {
  return (await catalogue.agents.list(tenant)).map((each) => each.agent);
}

interface Known {
  readonly names: readonly string[];
  /** Options of the command that is suggested. */
  readonly where: string;
}

function refuseUnknown(agent: string, tenant: string, { names, where }: Known): void {
  if (names.length === 0 || names.includes(agent)) return;
  const nearest = nearestName(agent, names);
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new CliError(`${tenant} has no agent "${agent}".${meant} See them with: toolwright agents list${where}`);
}
