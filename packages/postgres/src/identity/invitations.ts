import { ToolwrightError } from "@toolwright/engine";
import type { Clock, Ids } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { withdrawAccess } from "./end-access.ts";
import { requireTenant } from "./postgres-tenant-store.ts";
import { requireRole } from "./roles.ts";
import { hashSecret, newSecret } from "./secret-text.ts";

const week = 7 * 24 * 60 * 60 * 1000;

export interface Invitation {
  readonly id: string;
  readonly tenant: string;
  readonly email: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface InvitationParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Asks somebody in. `token` goes into the link and is the only copy there is; an open invitation of the same address ends. */
export async function inviteMember(
  { database, clock, ids }: InvitationParts,
  tenant: string,
  { email, role, by }: { readonly email: string; readonly role: string; readonly by: string },
): Promise<{ readonly invitation: Invitation; readonly token: string }> {
  const address = email.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(address) || address.length > 254)
    throw new ToolwrightError("identity_refused", `"${email}" is not an e-mail address.`);
  const token = newSecret();
  const invitation: Invitation = { id: ids.next("inv"), tenant, email: address, role, expiresAt: clock.now() + week };
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
        hash: hashSecret(token),
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
  if (member) throw new ToolwrightError("identity_refused", `${email} is a member of ${tenant} already.`);
}

/** The open invitation that a link names. */
export function findInvitation({ database, clock }: Omit<InvitationParts, "ids">, token: string): Promise<Invitation | undefined> {
  return database.asSystem(async (query) => {
    const row = await openInvitations(query, clock).where("hash", "=", hashSecret(token)).executeTakeFirst();
    return row && toInvitation(row);
  });
}

export function listInvitations({ database, clock }: Omit<InvitationParts, "ids">, tenant: string): Promise<readonly Invitation[]> {
  return database.asTenant(tenant, async (query) => {
    const rows = await openInvitations(query, clock).where("tenant", "=", tenant).orderBy("email").execute();
    return rows.map(toInvitation);
  });
}

/** True when somebody of that address is asked in anywhere. */
export function isInvited({ database, clock }: Omit<InvitationParts, "ids">, email: string): Promise<boolean> {
  return database.asSystem(async (query) => {
    const row = await openInvitations(query, clock).where("email", "=", email.toLowerCase()).executeTakeFirst();
    return row !== undefined;
  });
}

/**
 * Makes the person a member wherever their address is asked in: with `token` by that one invitation, without it by every one.
 * *Contract:* without a token, the caller knows that the address is really the person's.
 */
export async function acceptInvitations(
  { database, clock }: Omit<InvitationParts, "ids">,
  { user, email }: { readonly user: string; readonly email: string },
  token?: string,
): Promise<readonly Invitation[]> {
  const accepted = await database.asSystem(async (query) => {
    const open = openInvitations(query, clock).where("email", "=", email.toLowerCase()).forUpdate();
    const rows = await (token === undefined ? open : open.where("hash", "=", hashSecret(token))).execute();
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

function openInvitations(query: Query, clock: Clock) {
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
