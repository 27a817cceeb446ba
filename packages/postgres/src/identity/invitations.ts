import {
  alreadyMember,
  type Clock,
  hashToken,
  type Ids,
  type Invitation,
  invitationMs,
  type NewInvitation,
  newToken,
  toAddress,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { withdrawAccess } from "./end-access.ts";
import { requireTenant } from "./postgres-tenant-store.ts";
import { requireRole } from "./roles.ts";

interface InvitationParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
}

export async function inviteMember(
  { database, clock, ids }: InvitationParts,
  tenant: string,
  { email, role, by }: NewInvitation,
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  const address = toAddress(email);
  const token = newToken();
  const invitation: Invitation = { id: ids.next("inv"), tenant, email: address, role, expiresAt: clock.now() + invitationMs };
  await database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    await requireRole(query, tenant, role);
    await refuseMember(query, tenant, address);
    await withdrawInvitation(query, tenant, address);
    await query
      .insertInto("toolwright.invitations")
      .values({
        tenant,
        invitation: invitation.id,
        email: address,
        role,
        hash: hashToken(token),
        invited_by: by,
        created_at: new Date(clock.now()),
        expires_at: new Date(invitation.expiresAt),
      })
      .execute();
  });
  return { invitation, token };
}

/** The link of an open invitation opens nothing any more. True when there was one. */
export async function withdrawInvitation(query: Query, tenant: string, email: string): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom("toolwright.invitations")
    .where("tenant", "=", tenant)
    .where("email", "=", email.trim().toLowerCase())
    .where("accepted_at", "is", null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function refuseMember(query: Query, tenant: string, email: string): Promise<void> {
  const member = await query.selectFrom("toolwright.users").select("id").where("email", "=", email).executeTakeFirst();
  if (member) throw alreadyMember(tenant, email);
}

export function findInvitation({ database, clock }: Omit<InvitationParts, "ids">, token: string): Promise<Invitation | undefined> {
  return database.asSystem(async (query) => {
    const row = await openInvitations(query, clock).where("hash", "=", hashToken(token)).executeTakeFirst();
    return row && toInvitation(row);
  });
}

export function listInvitations({ database, clock }: Omit<InvitationParts, "ids">, tenant: string): Promise<readonly Invitation[]> {
  return database.asTenant(tenant, async (query) => {
    const rows = await openInvitations(query, clock).where("tenant", "=", tenant).orderBy("email").execute();
    return rows.map(toInvitation);
  });
}

export function isInvited({ database, clock }: Omit<InvitationParts, "ids">, email: string): Promise<boolean> {
  return database.asSystem(async (query) => {
    const row = await openInvitations(query, clock).where("email", "=", email.toLowerCase()).executeTakeFirst();
    return row !== undefined;
  });
}

export async function acceptInvitations(
  { database, clock }: Omit<InvitationParts, "ids">,
  { user, email }: { readonly user: string; readonly email: string },
  token?: string,
): Promise<readonly Invitation[]> {
  const accepted = await database.asSystem(async (query) => {
    const open = openInvitations(query, clock).where("email", "=", email.toLowerCase()).forUpdate();
    const rows = await (token === undefined ? open : open.where("hash", "=", hashToken(token))).execute();
    for (const row of rows) await join(query, row, { user, at: new Date(clock.now()) });
    return rows.map(toInvitation);
  });
  for (const { tenant } of accepted) announceIdentity(database, tenant);
  return accepted;
}

async function join(query: Query, row: InvitationRow, { user, at }: { readonly user: string; readonly at: Date }): Promise<void> {
  const joined = await query
    .insertInto("toolwright.memberships")
    .values({ tenant: row.tenant, user_id: user, role: row.role })
    .onConflict((conflict) => conflict.doNothing())
    .returning("user_id")
    .executeTakeFirst();
  // Nothing that they gave to programs in an earlier membership comes alive again.
  if (joined) await withdrawAccess(query, { user, tenant: row.tenant });
  await query
    .updateTable("toolwright.invitations")
    .set({ accepted_at: at })
    .where("tenant", "=", row.tenant)
    .where("invitation", "=", row.invitation)
    .execute();
}

export function openInvitations(query: Query, clock: Clock) {
  return query
    .selectFrom("toolwright.invitations")
    .select(["tenant", "invitation", "email", "role", "expires_at"])
    .where("accepted_at", "is", null)
    .where("expires_at", ">", new Date(clock.now()));
}

interface InvitationRow {
  readonly tenant: string;
  readonly invitation: string;
  readonly email: string;
  readonly role: string;
  readonly expires_at: Date;
}

function toInvitation({ invitation, tenant, email, role, expires_at }: InvitationRow): Invitation {
  return { id: invitation, tenant, email, role, expiresAt: expires_at.getTime() };
}
