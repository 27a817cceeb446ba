import { randomUUID } from "node:crypto";
import type { CallError, CallEvent, CallResult } from "@toolwright/engine";
import { asJson, endingOf } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { toStoreError } from "../database/store-failure.ts";
import { appendBatch } from "../events/append-batch.ts";
import { createChainHeads } from "../events/chain-heads.ts";
import { type EventRow, toCallEvent } from "../events/event-row.ts";
import { packBatch } from "../events/pack-batch.ts";
import { isAliveAt } from "./process-identity.ts";

interface LostCallOptions {
  /** Name of this process, which writes the endings. */
  readonly process: string;
  readonly leaseMs: number;
  /** Where this process runs: one beside it that is silent is looked at before it is taken for gone. */
  readonly place?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds after which a process that is there and says nothing is taken for gone all the same: it hangs. */
const hungMs = 300_000;
/** Calls that one transaction ends. */
const mostAtOnce = 200;

/**
 * Ends the calls of processes that showed no life for a lease: as they ended, where a key holds that, else as unknown. Keys of calls that
 * never started, or that may run twice, are free again. Of several processes that look, one acts: the row of the dead one is locked.
 * Says how many calls it ended.
 */
export async function endLostCalls(database: Database, options: LostCallOptions): Promise<number> {
  let count = 0;
  for (;;) {
    const round = await endSome(database, options);
    if (!round) return count;
    for (const { tenant, session } of round.events) database.announce({ topic: "events", tenant, id: session });
    count += round.events.length;
  }
}

interface Round {
  readonly events: readonly CallEvent[];
}

/** Undefined when nobody is dead. Everything of one round is written or nothing. */
function endSome(database: Database, options: LostCallOptions): Promise<Round | undefined> {
  const round = database.owner.transaction().execute(async (query) => {
    await takeRole(query, "toolwright_system");
    const dead = await lockDead(query, options);
    if (dead === undefined) return undefined;
    await leaveToTrees(query, dead);
    const inFlight = await readInFlight(query, dead);
    const events = inFlight.map((call) => lostEnding(call, options.now));
    await appendEndings(query, options.process, events);
    await fence(query, dead, inFlight);
    await settleKeys(query, inFlight, options.now);
    if (inFlight.length < mostAtOnce) await forgetProcess(query, dead, options.now);
    return { events };
  });
  return round.catch((error: unknown) => Promise.reject(toStoreError(error)));
}

function takeRole(query: Query, role: "toolwright_system" | "none"): Promise<unknown> {
  return sql`select set_config('role', ${role}, true)`.execute(query);
}

/**
 * Processes that never registered get a lease from now; after a backup was restored they are all that it took in the middle of a call. One
 * that had claimed a key and not begun has nothing in flight: without a look at the keys its call would be under way for ever.
 */
async function lockDead(query: Query, options: LostCallOptions): Promise<string | undefined> {
  await sql`insert into toolwright.processes (process, role, host, seen_at)
    select process, 'unknown', 'unknown', clock_timestamp() from (
      select process from toolwright.calls_in_flight union select process from toolwright.idempotency_keys where result is null
    ) as c where not exists (select from toolwright.processes as p where p.process = c.process)
    on conflict do nothing`.execute(query);
  const dead = await findDead(query, options);
  if (dead.length === 0) return undefined;
  const { rows } = await sql<{ process: string }>`
    select process from toolwright.processes
      where process = any(${dead}::text[]) and abs(extract(epoch from clock_timestamp() - seen_at)) * 1000 > ${options.leaseMs}
      order by seen_at limit 1 for update skip locked`.execute(query);
  return rows[0]?.process;
}

/**
 * A time in the future is as dead as one long ago: the clock was set back since. One that is silent and is there, on this machine, only has
 * a tool that keeps its event loop busy.
 */
async function findDead(query: Query, { leaseMs, place: here }: LostCallOptions): Promise<readonly string[]> {
  const { rows } = await sql<{ process: string; place: string | null; silent: number }>`
    select process, place, silent from toolwright.processes
      cross join lateral (select abs(extract(epoch from clock_timestamp() - seen_at)) * 1000 as silent) as age
      where silent > ${leaseMs}`.execute(query);
  const isBusy = (place: string | null) => here !== undefined && place !== null && isAliveAt(place, here);
  return rows.flatMap(({ process, place, silent }) => (silent < hungMs && isBusy(place) ? [] : [process]));
}

/** What another process goes on with: roots that are kept, and their steps that have not ended. */
async function leaveToTrees(query: Query, dead: string): Promise<void> {
  await sql`delete from toolwright.calls_in_flight as c where c.process = ${dead} and (
    exists (select from toolwright.suspended_calls as s where s.tenant = c.tenant and s.call_id = c.call_id and s.keep_until is null)
    or exists (select from toolwright.suspended_steps as s where s.tenant = c.tenant and s.call_id = c.call_id and not s.is_ended))`.execute(
    query,
  );
}

/** A call whose ending is being written at this moment is locked by its writer, and not lost. */
async function readInFlight(query: Query, dead: string): Promise<readonly LostCall[]> {
  const { rows } = await sql<EventRow & { result: CallResult | null }>`
    select e.*, coalesce(
        (select k.result from toolwright.idempotency_keys as k where k.tenant = c.tenant and k.call_id = c.call_id and k.result is not null
          order by k.is_final desc limit 1),
        s.result, (select p.record -> 'result' from toolwright.suspended_steps as p
        where p.tenant = c.tenant and p.call_id = c.call_id and p.is_ended limit 1)) as result from toolwright.calls_in_flight as c
      join toolwright.events as e on e.tenant = c.tenant and e.call_id = c.call_id and e.type = 'tool.started'
        and not exists (select from toolwright.events as later where later.tenant = e.tenant and later.call_id = e.call_id
          and later.type = 'tool.started' and later.sequence > e.sequence)
      left join toolwright.suspended_calls as s on s.tenant = c.tenant and s.call_id = c.call_id
      where c.process = ${dead} order by e.tenant, e.session, e.sequence limit ${mostAtOnce} for update of c skip locked`.execute(query);
  return rows.map((row) => ({ started: toCallEvent(row).event, result: row.result ?? undefined }));
}

/** Under no role of ours: the function takes that of each tenant by itself. */
async function appendEndings(query: Query, process: string, events: readonly CallEvent[]): Promise<void> {
  await takeRole(query, "none");
  for (const [tenant, some] of Map.groupBy(events, ({ tenant }) => tenant))
    await appendBatch(query, { tenant, process, writer: randomUUID(), batch: 1 }, packBatch(some, createChainHeads(), 0));
  await takeRole(query, "toolwright_system");
}

/** From here on the log takes nothing about them from the process that lost them. */
async function fence(query: Query, dead: string, calls: readonly LostCall[]): Promise<void> {
  if (calls.length === 0) return;
  const rows = calls.map(({ started }) => ({ tenant: started.tenant, process: dead, call_id: started.callId }));
  await query
    .insertInto("toolwright.lost_calls")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** What may run again is free, unless somebody asks how it ended. */
async function settleKeys(query: Query, calls: readonly LostCall[], now: number): Promise<void> {
  for (const call of calls) {
    const { tenant, callId } = call.started;
    if (isRerunnable(call))
      await sql`delete from toolwright.idempotency_keys
        where tenant = ${tenant} and call_id = ${callId} and not is_final and not is_followed`.execute(query);
    await sql`update toolwright.idempotency_keys set result = ${JSON.stringify(lostResult(call))}::json, is_final = true,
        changed_at = ${new Date(now).toISOString()}::timestamptz
      where tenant = ${tenant} and call_id = ${callId} and not is_final`.execute(query);
  }
}

/** Last: its keys whose calls never started, or ended without the key hearing of it, and itself. */
async function forgetProcess(query: Query, dead: string, now: number): Promise<void> {
  const { rows } = await sql<EventRow>`
    select e.* from toolwright.idempotency_keys as k
      join toolwright.events as e on e.tenant = k.tenant and e.call_id = k.call_id and e.type = 'tool.started'
      where k.process = ${dead} and k.result is null`.execute(query);
  await settleKeys(
    query,
    rows.map((row) => ({ started: toCallEvent(row).event })),
    now,
  );
  await sql`delete from toolwright.idempotency_keys where process = ${dead} and result is null`.execute(query);
  await sql`delete from toolwright.idempotency_keys as k using toolwright.approvals as a
    where a.claimed_by = ${dead} and k.tenant = a.tenant and k.call_id = a.call_id and not k.is_final
      and not exists (select from toolwright.events as e where e.tenant = k.tenant and e.call_id = k.call_id and e.type = 'tool.started')`.execute(
    query,
  );
  await sql`delete from toolwright.calls_in_flight as c where c.process = ${dead}
    and not exists (select from toolwright.events as e where e.tenant = c.tenant and e.call_id = c.call_id and e.type = 'tool.started')`.execute(
    query,
  );
  await query.deleteFrom("toolwright.processes").where("process", "=", dead).execute();
}

/** A call that its process left, as the log has its start. */
interface LostCall {
  readonly started: CallEvent;
  /** How it ended, where that was kept before its process died: only the log did not hear of it. */
  readonly result?: CallResult | undefined;
}

/** Running it twice does no harm, as its tool said when it started. */
function isRerunnable({ started }: LostCall): boolean {
  return started.data.idempotent === true;
}

function lostError(call: LostCall): CallError {
  const { tool, callId } = call.started;
  const advice = isRerunnable(call)
    ? "Running it again does no harm."
    : "Look at what it may have changed before you call it again; it is not retried by itself.";
  return {
    code: "call_lost",
    message: `The process that ran "${tool}" ended before the call did, so nobody knows how call ${callId} ended. ${advice}`,
  };
}

/** The result that later calls with the same idempotency key get. */
function lostResult(call: LostCall): CallResult {
  const { callId, tool } = call.started;
  return { callId, tool, durationMs: 0, repairs: [], anomalies: [], artifacts: [], status: "unknown", error: lostError(call) };
}

/** The event that ends it: as it ended, or as unknown. */
function lostEnding(call: LostCall, at: number): CallEvent {
  const { started, result } = call;
  if (result && result.status !== "pending") {
    const [type, data] = endingOf(result, null);
    return { ...started, type, at, data };
  }
  const rerunnable = isRerunnable(call) ? { rerunnable: true } : {};
  return { ...started, type: "tool.failed", at, data: { outcome: "unknown", error: asJson(lostError(call)), ...rerunnable } };
}
