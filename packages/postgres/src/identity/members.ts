import { identityMissing, lastOwner, type Member } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { withdrawAccess } from "./end-access.ts";
import { withdrawInvitation } from "./invitations.ts";
import { requireTenant } from "./postgres-tenant-store.ts";
import { requireRole } from "./roles.ts";

export function listMembers(database: Database, tenant: string): Promise<readonly Member[]> {
  return database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    const rows = await membersOf(query, tenant).orderBy("u.email").execute();
    return rows.map(toMember);
  });
}

export async function setMemberRole(database: Database, tenant: string, { who, role }: { who: string; role: string }): Promise<void> {
  await database.asTenant(tenant, async (query) => {
    await requireRole(query, tenant, role);
    const { user } = await findMember(query, tenant, who);
    if (role !== "owner") await keepAnOwner(query, tenant, user);
    await query.updateTable("toolwright.memberships").set({ role }).where("tenant", "=", tenant).where("user_id", "=", user).execute();
  });
  announceIdentity(database, tenant);
}

export async function removeMember(database: Database, tenant: string, who: string): Promise<"member" | "invitation"> {
  const user = await database.asTenant(tenant, async (query) => {
    // First: one that is taken up at this moment has made a member by now, or is gone before it can.
    const isWithdrawn = await withdrawInvitation(query, tenant, who);
    const member = await (isWithdrawn ? lookForMember : findMember)(query, tenant, who);
    if (!member) return undefined;
    await keepAnOwner(query, tenant, member.user);
    await query.deleteFrom("toolwright.memberships").where("tenant", "=", tenant).where("user_id", "=", member.user).execute();
    return member.user;
  });
  if (user === undefined) return "invitation";
  announceIdentity(database, tenant);
  // No tenant's role sees these. Should it end before this, they are good for nothing without the membership, and a new one begins without them.
  await database.asSystem((query) => withdrawAccess(query, { user, tenant }));
  return "member";
}

export async function findMember(query: Query, tenant: string, who: string): Promise<Member> {
  const member = await lookForMember(query, tenant, who);
  if (!member) throw identityMissing("member", who);
  return member;
}

async function lookForMember(query: Query, tenant: string, who: string): Promise<Member | undefined> {
  const row = await membersOf(query, tenant)
    .where((where) => where.or([where("u.id", "=", who), where("u.email", "=", who.toLowerCase())]))
    .executeTakeFirst();
  return row && toMember(row);
}

/** The columns that a tenant may read of a person, and no more. */
export function membersOf(query: Query, tenant: string) {
  return query
    .selectFrom("toolwright.memberships as m")
    .innerJoin("toolwright.users as u", "u.id", "m.user_id")
    .select(["u.id", "u.name", "u.email", "m.role", "m.created_at"])
    .where("m.tenant", "=", tenant);
}

/** Locks the owners, so that two who leave at the same moment do not leave the tenant without one. */
async function keepAnOwner(query: Query, tenant: string, leaving: string): Promise<void> {
  const owners = await query
    .selectFrom("toolwright.memberships")
    .select("user_id")
    .where("tenant", "=", tenant)
    .where("role", "=", "owner")
    .orderBy("user_id")
    .forUpdate()
    .execute();
  if (owners.length === 1 && owners[0]?.user_id === leaving) throw lastOwner();
}

function toMember(row: { id: string; name: string; email: string; role: string; created_at: Date }): Member {
  return { user: row.id, name: row.name, email: row.email, role: row.role, since: row.created_at.getTime() };
}
