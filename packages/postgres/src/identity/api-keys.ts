import { randomBytes } from "node:crypto";
import { ToolwrightError } from "@toolwright/engine";
import { type Clock, checkTitle } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { findMember } from "./members.ts";
import { checkPermissions } from "./permissions.ts";
import { requireTenant } from "./postgres-tenant-store.ts";
import { hashSecret, newSecret } from "./secret-text.ts";

const day = 24 * 60 * 60 * 1000;
const mostDays = 3_650;

export interface NewApiKey {
  /** What it is for, for people. */
  readonly name: string;
  readonly permissions: readonly string[];
  /** It calls in the name of this agent and no other. */
  readonly agent?: string | undefined;
  /** Id or e-mail address of the member as whom it calls, never with more than that one's role. Default: a service of its own. */
  readonly user?: string | undefined;
  /** Default 90; at most 3650. */
  readonly days?: number | undefined;
  readonly by: string;
}

/** What is known of a key after it was made. Times in milliseconds since the epoch. */
export interface ApiKeyRecord {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agent?: string;
  readonly user?: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** To the minute. */
  readonly lastUsedAt?: number;
  readonly revokedAt?: number;
}

/** `key` is the only copy there is. */
export async function createApiKey(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  tenant: string,
  wanted: NewApiKey,
): Promise<{ readonly key: string; readonly record: ApiKeyRecord }> {
  checkPermissions(wanted.permissions);
  checkTitle("key", wanted.name);
  const { days = 90 } = wanted;
  if (!Number.isInteger(days) || days < 1 || days > mostDays)
    throw new ToolwrightError("identity_refused", `A key is good for 1 to ${mostDays} days, not ${days}.`);
  const id = randomBytes(8).toString("hex");
  const key = `tw_${id}_${newSecret()}`;
  const row = await database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    const member = wanted.user === undefined ? undefined : await findMember(query, tenant, wanted.user);
    return query
      .insertInto("toolwright.api_keys")
      .values({
        tenant,
        key_id: id,
        name: wanted.name,
        hash: hashSecret(key),
        permissions: [...wanted.permissions],
        agent: wanted.agent ?? null,
        user_id: member?.user ?? null,
        created_by: wanted.by,
        created_at: new Date(clock.now()),
        expires_at: new Date(clock.now() + days * day),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  return { key, record: toRecord(row) };
}

/** Newest first, those that ended too. */
export function listApiKeys(database: Database, tenant: string): Promise<readonly ApiKeyRecord[]> {
  return database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    const rows = await query
      .selectFrom("toolwright.api_keys")
      .selectAll()
      .where("tenant", "=", tenant)
      .orderBy("created_at", "desc")
      .orderBy("key_id")
      .execute();
    return rows.map(toRecord);
  });
}

/** From the next request on the key opens nothing. Throws `identity_not_found`. */
export async function revokeApiKey(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  tenant: string,
  id: string,
): Promise<void> {
  const { numUpdatedRows } = await database.asTenant(tenant, (query) =>
    query
      .updateTable("toolwright.api_keys")
      .set((set) => ({ revoked_at: set.fn.coalesce("revoked_at", set.val(new Date(clock.now()))) }))
      .where("tenant", "=", tenant)
      .where("key_id", "=", id)
      .executeTakeFirst(),
  );
  if (numUpdatedRows === 0n)
    throw new ToolwrightError("identity_not_found", `There is no key ${id}. toolwright keys list shows those there are.`);
  announceIdentity(database, tenant);
}

interface ApiKeyRow {
  readonly key_id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agent: string | null;
  readonly user_id: string | null;
  readonly created_by: string;
  readonly created_at: Date;
  readonly expires_at: Date;
  readonly last_used_at: Date | null;
  readonly revoked_at: Date | null;
}

function toRecord(row: ApiKeyRow): ApiKeyRecord {
  return {
    id: row.key_id,
    name: row.name,
    permissions: row.permissions,
    ...(row.agent !== null && { agent: row.agent }),
    ...(row.user_id !== null && { user: row.user_id }),
    createdBy: row.created_by,
    createdAt: row.created_at.getTime(),
    expiresAt: row.expires_at.getTime(),
    ...(row.last_used_at && { lastUsedAt: row.last_used_at.getTime() }),
    ...(row.revoked_at && { revokedAt: row.revoked_at.getTime() }),
  };
}
