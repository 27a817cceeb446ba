import { type Clock, checkRole, type Role, refuseBuiltin, roleInUse, rolesWith } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { openInvitations } from "./invitations.ts";
import { membersOf } from "./members.ts";
import { requireTenant } from "./postgres-tenant-store.ts";
import { requireRole } from "./roles.ts";

interface RoleParts {
  readonly database: Database;
  readonly clock: Clock;
}

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

export function listRoles(database: Database, tenant: string): Promise<readonly Role[]> {
  return database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    const own = query.selectFrom("toolwright.roles").select(["role", "permissions"]).where("tenant", "=", tenant);
    return rolesWith(await own.orderBy(sql`role collate "C"`).execute());
  });
}

/** One that is given at this moment to somebody is worth nothing to them without it, so nothing is locked. */
export async function removeRole({ database, clock }: RoleParts, tenant: string, role: string): Promise<void> {
  refuseBuiltin(role);
  await database.asTenant(tenant, async (query) => {
    await requireRole(query, tenant, role);
    const member = await membersOf(query, tenant).where("m.role", "=", role).limit(1).executeTakeFirst();
    const invited = openInvitations(query, clock).where("tenant", "=", tenant).where("role", "=", role).limit(1);
    const who = member ?? (await invited.executeTakeFirst());
    if (who) throw roleInUse(role, who.email);
    await query.deleteFrom("toolwright.roles").where("tenant", "=", tenant).where("role", "=", role).execute();
  });
  announceIdentity(database, tenant);
}
