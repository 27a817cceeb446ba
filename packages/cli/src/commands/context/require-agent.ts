import type { Store } from "@toolwright/postgres";
import { CliError } from "../../cli-error.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { hint } from "../catalogue/tool-override.ts";

/** Throws for an agent that the tenant does not have. One without agents describes them elsewhere, so any name may be one. */
export async function requireAgent({ catalogue }: Pick<Store, "catalogue">, tenant: string, agent: string): Promise<void> {
  const names = (await catalogue.agents.list(tenant)).map((each) => each.agent);
  if (names.length === 0 || names.includes(agent)) return;
  throw new CliError(`${tenant} has no agent "${agent}".${hint(agent, names)} See them with: toolwright agents list${inTenant(tenant)}`);
}
