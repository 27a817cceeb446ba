import type { CallResult } from "@toolwright/engine";
import {
  type IdempotencyClaim,
  type IdempotencyOwner,
  type IdempotencyState,
  type IdempotencyStore,
  type KeptCall,
  keyKeptUntil,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { isOutage } from "../database/store-failure.ts";

interface PostgresIdempotencyOptions {
  /** Name of this process: keys of what it did not finish are found by it when it is gone. */
  readonly process: string;
  readonly warn?: (message: string) => void;
}

interface PostgresIdempotencyStore extends IdempotencyStore {
  /** Gives up what is still tried again: others find it by the process that is gone. */
  close(): void;
}

/** Idempotency keys in PostgreSQL: the primary key lets one of any number of claims through. */
export function createPostgresIdempotencyStore(database: Database, options: PostgresIdempotencyOptions): PostgresIdempotencyStore {
  const retries = createRetries(options.warn);
  const storable = ({ tenant, callId }: IdempotencyOwner) => ({ tenant, callId: storableText(callId) });
  return {
    claim: (claim) => database.asTenant(claim.tenant, (query) => claimKey(query, claim, options.process)),
    find: (tenant, key) => database.asTenant(tenant, (query) => findKey(query, tenant, key)),
    settle: (owner, result, at) =>
      retries.once(() => database.asTenant(owner.tenant, (query) => keepResult(query, storable(owner), { result, at })), result),
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
  const { tenant, key, fingerprint, callId, isFollowed = false } = claim;
  const [at, expiresAt] = [new Date(claim.at).toISOString(), new Date(claim.expiresAt).toISOString()];
  const { rows } = await sql`
    insert into toolwright.idempotency_keys as kept
      (tenant, key, fingerprint, call_id, process, claimed_at, changed_at, expires_at, is_followed)
      values (${tenant}, ${key}, ${fingerprint}, ${storableText(callId)}, ${process}, ${at}::timestamptz, ${at}::timestamptz,
        ${expiresAt}::timestamptz, ${isFollowed})
      on conflict (tenant, key) do update set fingerprint = excluded.fingerprint, call_id = excluded.call_id, process = excluded.process,
        result = null, is_final = false, claimed_at = excluded.claimed_at, changed_at = excluded.changed_at, expires_at = excluded.expires_at,
        is_followed = excluded.is_followed
        where kept.result is not null and kept.expires_at <= ${at}::timestamptz
      returning true`.execute(query);
  return rows.length > 0;
}

async function findKey(query: Query, tenant: string, key: string): Promise<KeptCall | undefined> {
  const row = await query
    .selectFrom("toolwright.idempotency_keys")
    .select(["call_id", "claimed_at", "changed_at", "expires_at", "result"])
    .where("tenant", "=", tenant)
    .where("key", "=", key)
    .executeTakeFirst();
  if (!row) return undefined;
  const [claimedAt, changedAt, expiresAt] = [row.claimed_at.getTime(), row.changed_at.getTime(), row.expires_at.getTime()];
  return { callId: row.call_id, claimedAt, changedAt, expiresAt, ...(row.result && { result: row.result }) };
}

interface Ending {
  readonly result: CallResult;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

async function keepResult(query: Query, { tenant, callId }: IdempotencyOwner, { result, at }: Ending): Promise<CallResult> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.idempotency_keys")
    .set({
      result: JSON.stringify(result),
      is_final: result.status !== "pending",
      changed_at: new Date(at),
      expires_at: sql`greatest(expires_at, ${new Date(keyKeptUntil(result))}::timestamptz)`,
    })
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
    .where("is_followed", "=", false)
    .execute();
}

const firstRetryMs = 250;
const mostRetryMs = 5_000;

interface Retries {
  /** Does it now. Where the database is away or full it gives back `meanwhile`, and does it as soon as the database is there again. */
  once<Result>(work: () => Promise<Result>, meanwhile: Result): Promise<Result>;
  stop(): void;
}

/** For what has to reach the database sooner or later, while nobody should wait for it. */
function createRetries(warn?: (message: string) => void): Retries {
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;
  const tryLater = (work: () => Promise<unknown>, afterMs: number) => {
    if (stopped) return;
    const timer = setTimeout(async () => {
      timers.delete(timer);
      try {
        await work();
      } catch (error) {
        if (isOutage(error)) tryLater(work, Math.min(afterMs * 2, mostRetryMs));
        else warn?.(`An idempotency key could not be brought up to date: ${String(error)}`);
      }
    }, afterMs);
    timers.add(timer.unref());
  };
  return {
    async once(work, meanwhile) {
      try {
        return await work();
      } catch (error) {
        if (!isOutage(error)) throw error;
        tryLater(work, firstRetryMs);
        return meanwhile;
      }
    },
    stop() {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
