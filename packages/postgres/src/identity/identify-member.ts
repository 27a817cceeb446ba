import { expandPermissions, type Identified } from "@toolwright/engine/ports";
import type { Query } from "../database/database.ts";
import { permissionsOfRole } from "./roles.ts";

/** A person in one of their tenants; undefined when they are no member of it, or it is suspended. */
export async function identifyMember(
  query: Query,
  { tenant, user }: { readonly tenant: string; readonly user: string },
  known: readonly string[],
): Promise<Identified | undefined> {
  const row = await query
    .selectFrom("toolwright.memberships as m")
    .innerJoin("toolwright.tenants as t", "t.tenant", "m.tenant")
    .select("m.role")
    .where("m.tenant", "=", tenant)
    .where("m.user_id", "=", user)
    .where("t.suspended_at", "is", null)
    .executeTakeFirst();
  if (!row) return undefined;
  const permissions = expandPermissions(await permissionsOfRole(query, tenant, row.role), known);
  return { tenant, actor: { kind: "user", id: user }, permissions };
}
