import { sectionsOf } from "@toolwright/engine/policy";
import { nearestName } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";
import { inTenant } from "../../output/in-tenant.ts";

/** Throws for an agent that the tenant does not have. One without agents describes them elsewhere, so any name may be one. */
export async function requireAgent({ catalogue }: Pick<Store, "catalogue">, tenant: string, agent: string): Promise<void> {
  refuseUnknown(agent, tenant, await agentsOf(catalogue, tenant));
}

/** The same for whoever asks in an agent's name, who may also be one that only the policy knows. */
export async function requireKnownAgent({ store, policy }: Toolwright, tenant = localTenant, agent?: string): Promise<void> {
  if (agent === undefined) return;
  const ofPolicy = sectionsOf(policy.file).flatMap((section) => section.agent ?? []);
  refuseUnknown(agent, tenant, [...new Set([...(await agentsOf(store.catalogue, tenant)), ...ofPolicy])]);
}

async function agentsOf(catalogue: Store["catalogue"], tenant: string): Promise<readonly string[]> {
  return (await catalogue.agents.list(tenant)).map((each) => each.agent);
}

function refuseUnknown(agent: string, tenant: string, names: readonly string[]): void {
  if (names.length === 0 || names.includes(agent)) return;
  const nearest = nearestName(agent, names);
  const meant = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new CliError(`${tenant} has no agent "${agent}".${meant} See them with: toolwright agents list${inTenant(tenant)}`);
}
