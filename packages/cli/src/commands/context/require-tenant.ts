import { tenantNotFound } from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import { localTenant } from "@toolwright/server/local";

/** Throws `tenant_not_found` for a tenant that is not there: it would look like one in which nothing happened yet. */
export async function requireTenant({ tenants }: Pick<Store, "tenants">, tenant = localTenant): Promise<void> {
  if (!(await tenants.has(tenant))) throw tenantNotFound(tenant);
}
