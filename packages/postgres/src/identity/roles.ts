import { builtinRoles, checkRole, identityMissing } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";

/** Makes or changes a role of the tenant. */
export async function defineRole(
  database: Database,
  tenant: string,
  wanted: { readonly role: string; readonly permissions: readonly string[] },
): Promise<void> {
  checkRole(wanted);
  const { role, permissions } = wanted;
  await database.asTenant(tenant, (query) =>
    query
      .insertInto("toolwright.roles")
      .values({ tenant, role, permissions: [...permissions] })
      .onConflict((conflict) => conflict.columns(["tenant", "role"]).doUpdateSet({ permissions: [...permissions] }))
      .execute(),
  );
  announceIdentity(database, tenant);
}

/** Patterns of a role; nothing for one that there is not. */
export async function permissionsOfRole(query: Query, tenant: string, role: string): Promise<readonly string[]> {
  return builtinRoles.get(role) ?? (await findRole(query, tenant, role))?.permissions ?? [];
}

export async function requireRole(query: Query, tenant: string, role: string): Promise<void> {
  if (builtinRoles.has(role) || (await findRole(query, tenant, role))) return;
  throw identityMissing("role", role);
}

function findRole(query: Query, tenant: string, role: string) {
  return query
    .selectFrom("toolwright.roles")
    .select("permissions")
    .where("tenant", "=", tenant)
    .where("role", "=", role)
    .executeTakeFirst();
}
