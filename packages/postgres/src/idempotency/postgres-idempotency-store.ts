import type { CallResult } from "@toolwright/engine";
import type { IdempotencyClaim, IdempotencyOwner, IdempotencyState, IdempotencyStore } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { createRetries } from "./retries.ts";

export interface PostgresIdempotencyOptions {
  /** Of this process: keys of what it did not finish are found by it when it is gone. */
  readonly process: string;
  readonly warn?: (message: string) => void;
}

export interface PostgresIdempotencyStore extends IdempotencyStore {
  /** Gives up what is still tried again: others find it by the process that is gone. */
  close(): void;
}

/** Idempotency keys in PostgreSQL: the primary key lets one of any number of claims through. */
export function createPostgresIdempotencyStore(database: Database, options: PostgresIdempotencyOptions): PostgresIdempotencyStore {
  const retries = createRetries(options.warn);
  const storable = ({ tenant, callId }: IdempotencyOwner) => ({ tenant, callId: storableText(callId) });
  return {
    claim: (claim) => database.asTenant(claim.tenant, (query) => claimKey(query, claim, options.process)),
    settle: (owner, result) =>
      retries.once(() => database.asTenant(owner.tenant, (query) => keepResult(query, storable(owner), result)), result),
    release: (owner) => retries.once(() => database.asTenant(owner.tenant, (query) => freeKey(query, storable(owner))), undefined),
    close: retries.stop,
  };
}

/** A key that was there at the insert may be gone at the look: then it is free. */
async function claimKey(query: Query, claim: IdempotencyClaim, process: string): Promise<IdempotencyState> {
  for (;;) {
    if (await insertKey(query, claim, process)) return { kind: "claimed" };
    const held = await query
      .selectFrom("toolwright.idempotency_keys")
      .select(["fingerprint", "call_id", "result"])
      .where("tenant", "=", claim.tenant)
      .where("key", "=", claim.key)
      .executeTakeFirst();
    if (!held) continue;
    const { fingerprint, call_id: callId, result } = held;
    return result ? { kind: "answered", fingerprint, callId, result } : { kind: "running", fingerprint, callId };
  }
}

/** True when it was free, or held by a call that ended and whose time is over. */
async function insertKey(query: Query, claim: IdempotencyClaim, process: string): Promise<boolean> {
  const { tenant, key, fingerprint, callId, at, expiresAt } = claim;
  const { rows } = await sql`
    insert into toolwright.idempotency_keys as kept (tenant, key, fingerprint, call_id, process, expires_at)
      values (${tenant}, ${key}, ${fingerprint}, ${storableText(callId)}, ${process}, ${new Date(expiresAt).toISOString()}::timestamptz)
      on conflict (tenant, key) do update set fingerprint = excluded.fingerprint, call_id = excluded.call_id, process = excluded.process,
        result = null, is_final = false, expires_at = excluded.expires_at
        where kept.result is not null and kept.expires_at <= ${new Date(at).toISOString()}::timestamptz
      returning true`.execute(query);
  return rows.length > 0;
}

async function keepResult(query: Query, { tenant, callId }: IdempotencyOwner, result: CallResult): Promise<CallResult> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.idempotency_keys")
    .set({ result: JSON.stringify(result), is_final: result.status !== "pending" })
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .where("is_final", "=", false)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return result;
  const kept = await query
    .selectFrom("toolwright.idempotency_keys")
    .select("result")
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .executeTakeFirst();
  return kept?.result ?? result;
}

async function freeKey(query: Query, { tenant, callId }: IdempotencyOwner): Promise<void> {
  await query
    .deleteFrom("toolwright.idempotency_keys")
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .where("is_final", "=", false)
    .execute();
}
