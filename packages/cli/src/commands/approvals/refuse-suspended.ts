import type { Scope } from "@toolwright/engine";
import type { Toolwright } from "@toolwright/server";
import { localTenant } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";

/** Nothing runs for a tenant that is suspended, whoever starts it. */
export async function refuseSuspended(
  { principal: { tenant } }: Pick<Scope, "principal">,
  { store }: Pick<Toolwright, "store">,
): Promise<void> {
  if (tenant === localTenant) return;
  if ((await store.tenants.get(tenant))?.suspendedAt === undefined) return;
  throw new CliError(`The tenant ${tenant} is suspended, so nothing runs for it. It goes on with: toolwright tenants resume ${tenant}`, {
    exitCode: exitCodes.failed,
  });
}
