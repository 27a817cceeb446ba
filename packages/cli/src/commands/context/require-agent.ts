import { ToolwrightError } from "@toolwright/engine";
import { sectionsOf } from "@toolwright/engine/policy";
import { nearestName } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";
import { inTenant } from "../../output/in-tenant.ts";
import type { Operate } from "./operate.ts";

/**
 * Throws for an agent that the tenant does not have. One without agents describes them elsewhere, so any name may be one; whoever may not
 * list them is not stopped by it.
 */
export async function requireAgent(operate: Operate, agent: string, tenant?: string): Promise<void> {
  const { items } = await operate("agents.list", {}).catch((cause: unknown) => {
    if (ToolwrightError.is(cause) && cause.code === "operation_not_allowed") return { items: [] };
    throw cause;
  });
  refuseUnknown(agent, tenant ?? "The tenant", { names: items.map((each) => each.agent), where: inTenant(tenant) });
}

/** The same for whoever asks in an agent's name, who may also be one that only the policy knows. */
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
