import { builtinRoles, identityMissing } from "@toolwright/engine/ports";
import type { Query } from "../database/database.ts";

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
