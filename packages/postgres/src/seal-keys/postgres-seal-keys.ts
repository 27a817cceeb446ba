import { randomBytes } from "node:crypto";
import { type Clock, type SealKey, type SealKeys, sealKeyBytes, toSealKey } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

const day = 24 * 60 * 60 * 1000;

interface SealKeyOptions {
  /** The database's, which all processes share. */
  readonly clock: Pick<Clock, "now">;
  /** Milliseconds after which another key seals. Default: a day. */
  readonly rotateMs?: number;
}

/** Keys in PostgreSQL: whatever process needs one first makes it, and the others find it. */
export function createPostgresSealKeys(database: Database, { clock, rotateMs = day }: SealKeyOptions): SealKeys {
  const known = new Map<string, SealKey>();
  let current: { readonly key: SealKey; readonly until: number } | undefined;
  return {
    async current() {
      const now = clock.now();
      if (current && now < current.until) return current.key;
      const { bytes, madeAt } = await database.asSystem((query) => newestKey(query, { now, rotateMs }));
      current = { key: toSealKey(bytes), until: madeAt + rotateMs };
      known.set(current.key.id, current.key);
      return current.key;
    },
    async find(id) {
      const found = known.get(id) ?? (await database.asSystem((query) => findKey(query, id)));
      if (found) known.set(id, found);
      return found;
    },
  };
}

interface StoredKey {
  readonly bytes: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly madeAt: number;
}

async function newestKey(query: Query, { now, rotateMs }: { readonly now: number; readonly rotateMs: number }): Promise<StoredKey> {
  // Processes that need one at the same moment make one between them.
  await sql`select pg_advisory_xact_lock(hashtext('toolwright seal keys'))`.execute(query);
  const newest = await query
    .selectFrom("toolwright.seal_keys")
    .select(["key", "created_at"])
    .orderBy("created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest && now < newest.created_at.getTime() + rotateMs) return { bytes: newest.key, madeAt: newest.created_at.getTime() };
  const bytes = randomBytes(sealKeyBytes);
  await query
    .insertInto("toolwright.seal_keys")
    .values({ key_id: toSealKey(bytes).id, key: bytes, created_at: new Date(now) })
    .execute();
  return { bytes, madeAt: now };
}

async function findKey(query: Query, id: string): Promise<SealKey | undefined> {
  const row = await query.selectFrom("toolwright.seal_keys").select("key").where("key_id", "=", id).executeTakeFirst();
  return row && toSealKey(row.key);
}
