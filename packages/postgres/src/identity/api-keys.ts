import {
  type ApiKeyRecord,
  apiKeyExpiry,
  type Clock,
  hashToken,
  identityMissing,
  makeApiKey,
  type NewApiKey,
  type StoredApiKey,
} from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { announceIdentity } from "./announce-identity.ts";
import { findMember } from "./members.ts";
import { requireTenant } from "./postgres-tenant-store.ts";

/** `key` is the only copy there is. */
export async function createApiKey(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  tenant: string,
  wanted: NewApiKey,
): Promise<{ readonly key: string; readonly record: ApiKeyRecord }> {
  const now = clock.now();
  const expiresAt = apiKeyExpiry(wanted, now);
  const { id, key } = makeApiKey();
  const row = await database.asTenant(tenant, async (query) => {
    await requireTenant(query, tenant);
    const member = wanted.user === undefined ? undefined : await findMember(query, tenant, wanted.user);
    return query
      .insertInto("toolwright.api_keys")
      .values({
        tenant,
        key_id: id,
        name: wanted.name,
        hash: hashToken(key),
        permissions: [...wanted.permissions],
        agent: wanted.agent ?? null,
        user_id: member?.user ?? null,
        created_by: wanted.by,
        created_at: new Date(now),
        expires_at: new Date(expiresAt),
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

/** From the next request on the key opens nothing. */
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
  if (numUpdatedRows === 0n) throw identityMissing("key", id);
  announceIdentity(database, tenant);
}

interface ApiKeyRow {
  readonly tenant: string;
  readonly hash: string;
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

export const toStoredKey = (row: ApiKeyRow): StoredApiKey => ({ tenant: row.tenant, hash: row.hash, record: toRecord(row) });

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
