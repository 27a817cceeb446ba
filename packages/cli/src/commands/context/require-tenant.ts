import { createIdentity, type Store } from "@toolwright/postgres";
import { localTenant } from "@toolwright/server/local";
import { CliError } from "../../cli-error.ts";

/** Throws for a tenant that is not there: it would look like one in which nothing happened yet. */
export async function requireTenant({ database }: Pick<Store, "database">, tenant = localTenant): Promise<void> {
  if (tenant === localTenant) return;
  const tenants = await createIdentity(database).listTenants();
  if (tenants.some((each) => each.tenant === tenant)) return;
  throw new CliError(`There is no tenant ${tenant}. See them with: toolwright tenants list`);
}
