import { ToolwrightError } from "@toolwright/engine";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { builtinRoles, checkPermissions } from "./permissions.ts";

/** Makes or changes a role of the tenant. */
export async function defineRole(
  database: Database,
  tenant: string,
  { role, permissions }: { readonly role: string; readonly permissions: readonly string[] },
): Promise<void> {
  checkPermissions(permissions);
  if (builtinRoles.has(role)) throw new ToolwrightError("identity_refused", `The role ${role} is built in. Choose another name.`);
  if (!/^[a-z][a-z0-9_-]{0,62}$/.test(role))
    throw new ToolwrightError("identity_refused", `"${role}" is not a name for a role. Use lower-case letters, digits, - and _.`);
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
  throw new ToolwrightError(
    "identity_not_found",
    `There is no role ${role}. The built-in ones are ${[...builtinRoles.keys()].join(", ")}.`,
  );
}

function findRole(query: Query, tenant: string, role: string) {
  return query
    .selectFrom("toolwright.roles")
    .select("permissions")
    .where("tenant", "=", tenant)
    .where("role", "=", role)
    .executeTakeFirst();
}
