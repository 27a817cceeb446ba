import type { CallResult } from "@toolwright/engine";
import type { CallRef, CallTree, HeldCall, HeldChange, Lease, StepRecord, StoredCall, SuspendedCall, Wait } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

/** Suspended calls in PostgreSQL. Every one that comes to wait for nothing more is announced with the approval that was answered. */
export function createPostgresCallTree(database: Database): CallTree {
  const asHolder = (held: HeldCall, work: (query: Query) => Promise<unknown>) =>
    database.asTenant(held.tenant, async (query) => {
      if (!(await isHeld(query, held))) return false;
      await work(query);
      return true;
    });
  return {
    suspend: (call, steps, lease) => database.asTenant(call.principal.tenant, (query) => insertCall(query, { call, steps, lease })),
    keep: (held, step) => asHolder(held, (query) => putStep(query, held, step)),
    hold: (held, change) => asHolder(held, (query) => changeCall(query, held, change)),
    take: ({ tenant, callId }, { holder, until }, { now, isWaiting = false }) =>
      database.asTenant(tenant, async (query) => {
        const { rows } = await sql<{
          call_id: string;
        }>`update toolwright.suspended_calls set holder = ${holder}, held_until = ${new Date(until)}
          where tenant = ${tenant} and call_id = ${callId} and keep_until is null and held_until <= ${new Date(now)}
            and (${isWaiting} or due_at <= ${new Date(now)}) returning call_id`.execute(query);
        return rows.length > 0 ? readCall(query, { tenant, callId }, now) : undefined;
      }),
    takeDue: ({ holder, until }, { now, limit }) =>
      database.asSystem(async (query) => {
        const { rows } = await sql<{ tenant: string; call_id: string }>`update toolwright.suspended_calls as kept
          set holder = ${holder}, held_until = ${new Date(until)}
          from (select tenant, call_id from toolwright.suspended_calls
            where keep_until is null and due_at <= ${new Date(now)} and held_until <= ${new Date(now)}
            order by due_at, created_at limit ${limit} for update skip locked) as due
          where kept.tenant = due.tenant and kept.call_id = due.call_id returning kept.tenant, kept.call_id`.execute(query);
        const taken: StoredCall[] = [];
        for (const { tenant, call_id: callId } of rows) {
          const stored = await readCall(query, { tenant, callId }, now);
          if (stored) taken.push(stored);
        }
        return taken;
      }),
    get: (ref, now) => database.asTenant(ref.tenant, (query) => readCall(query, ref, now)),
    list: (tenant, { tool, now }) =>
      database.asTenant(tenant, async (query) => {
        const rows = await query
          .selectFrom("toolwright.suspended_calls")
          .select("call_id")
          .where("tenant", "=", tenant)
          .where("tool", "=", tool)
          .where("keep_until", "is", null)
          .orderBy("created_at")
          .execute();
        return readCalls(query, rows, { tenant, now });
      }),
    waitingFor: (tenant, { kind, id }, now) =>
      database.asTenant(tenant, async (query) => {
        const rows = await query
          .selectFrom("toolwright.suspended_waits as w")
          .innerJoin("toolwright.suspended_calls as c", (join) => join.onRef("c.tenant", "=", "w.tenant").onRef("c.call_id", "=", "w.root"))
          .select("c.call_id")
          .where("w.tenant", "=", tenant)
          .where("w.kind", "=", kind)
          .where("w.id", "=", id)
          .orderBy(sql`c.keep_until is null`)
          .orderBy("c.created_at")
          .execute();
        return readCalls(query, rows, { tenant, now });
      }),
    answer: (tenant, { kind, id }) =>
      database.asTenant(tenant, async (query) => {
        await sql`select toolwright.end_wait(${tenant}, ${kind}, ${id})`.execute(query);
      }),
    finish: (held, result, keepUntil) => asHolder(held, (query) => endCall(query, { held, result, keepUntil })),
  };
}

async function readCalls(
  query: Query,
  rows: readonly { readonly call_id: string }[],
  { tenant, now }: { readonly tenant: string; readonly now: number },
): Promise<readonly StoredCall[]> {
  const stored = await Promise.all(rows.map(({ call_id: callId }) => readCall(query, { tenant, callId }, now)));
  return stored.flatMap((one) => one ?? []);
}

/** Locks it, so that nobody else takes it before the transaction is over. */
async function isHeld(query: Query, { tenant, callId, holder }: HeldCall): Promise<boolean> {
  const row = await query
    .selectFrom("toolwright.suspended_calls")
    .select("call_id")
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .where("holder", "=", holder)
    .where("keep_until", "is", null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

interface NewCall {
  readonly call: SuspendedCall;
  readonly steps: readonly StepRecord[];
  readonly lease: Lease;
}

async function insertCall(query: Query, { call, steps, lease }: NewCall): Promise<void> {
  const { callId, tool, waitsFor, createdAt, expiresAt, ranMs } = call;
  const { tenant } = call.principal;
  await query
    .insertInto("toolwright.suspended_calls")
    .values({
      ...{ tenant, call_id: callId, tool, call: JSON.stringify(call), ran_ms: ranMs },
      ...{ created_at: new Date(createdAt), expires_at: new Date(expiresAt), due_at: new Date(expiresAt) },
      ...{ holder: lease.holder, held_until: new Date(lease.until), keep_until: null },
    })
    .execute();
  await addWaits(query, { tenant, callId }, waitsFor);
  await query
    .updateTable("toolwright.suspended_calls")
    .set({ due_at: openUntil(expiresAt) })
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .execute();
  for (const step of steps) await putStep(query, { tenant, callId }, step);
}

/**
 * An approval may be answered before somebody waits for it, or at that moment: its row is locked, so that either the answer is seen here or the
 * wait by who answers. Those that are waited for already stay unlocked: who answers locks their calls.
 */
async function addWaits(query: Query, { tenant, callId }: CallRef, waits: readonly Wait[]): Promise<void> {
  if (waits.length === 0) return;
  await sql`with given as (
      select kind, id from unnest(${waits.map(({ kind }) => kind)}::text[], ${waits.map(({ id }) => id)}::text[]) as given(kind, id)
      where not exists (select from toolwright.suspended_waits as w
        where w.tenant = ${tenant} and w.root = ${callId} and w.kind = given.kind and w.id = given.id)
    ), asked as (
      select approval, settled_at from toolwright.approvals
      where tenant = ${tenant} and approval in (select id from given where kind = 'approval') order by approval for share
    ) insert into toolwright.suspended_waits (tenant, root, kind, id, is_over)
      select ${tenant}, ${callId}, kind, id, kind = 'approval' and settled_at is not null
      from given left join asked on asked.approval = given.id`.execute(query);
}

async function putStep(query: Query, { tenant, callId: root }: CallRef, record: StepRecord): Promise<void> {
  const { parent, step, callId, result } = record;
  const values = { call_id: callId, is_ended: result !== undefined, record: JSON.stringify(record) };
  await query
    .insertInto("toolwright.suspended_steps")
    .values({ tenant, root, parent, step, ...values })
    .onConflict((conflict) => conflict.columns(["tenant", "root", "parent", "step"]).doUpdateSet(values))
    .execute();
}

async function changeCall(query: Query, { tenant, callId }: CallRef, { until, waitsFor, expiresAt, ranMs }: HeldChange): Promise<void> {
  if (waitsFor) await addWaits(query, { tenant, callId }, waitsFor);
  await query
    .updateTable("toolwright.suspended_calls")
    .set({
      held_until: new Date(until),
      ...(ranMs !== undefined && { ran_ms: ranMs }),
      ...(expiresAt !== undefined && { expires_at: new Date(expiresAt) }),
      ...(waitsFor && { due_at: openUntil(expiresAt) }),
    })
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .execute();
}

/** Expiry of a call whose waits have changed, where one of them is open. */
const openUntil = (expiresAt: number | undefined) =>
  sql<Date>`case when exists (select from toolwright.suspended_waits as w
      where w.tenant = suspended_calls.tenant and w.root = suspended_calls.call_id and not w.is_over)
    then ${expiresAt === undefined ? sql`expires_at` : sql`${new Date(expiresAt)}::timestamptz`} else '-infinity' end`;

interface Ending {
  readonly held: HeldCall;
  readonly result: CallResult;
  readonly keepUntil: number;
}

async function endCall(query: Query, { held: { tenant, callId }, result, keepUntil }: Ending): Promise<void> {
  await query.deleteFrom("toolwright.suspended_steps").where("tenant", "=", tenant).where("root", "=", callId).execute();
  await query
    .updateTable("toolwright.suspended_calls")
    .set({ result: JSON.stringify(result), keep_until: new Date(keepUntil) })
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .execute();
}

async function readCall(query: Query, { tenant, callId }: CallRef, now: number): Promise<StoredCall | undefined> {
  const row = await query
    .selectFrom("toolwright.suspended_calls")
    .select(["call", "result", "ran_ms", "expires_at", "held_until"])
    .where("tenant", "=", tenant)
    .where("call_id", "=", callId)
    .executeTakeFirst();
  if (!row) return undefined;
  const waitsFor = await query
    .selectFrom("toolwright.suspended_waits")
    .select(["kind", "id"])
    .where("tenant", "=", tenant)
    .where("root", "=", callId)
    .orderBy("kind")
    .orderBy("id")
    .execute();
  const steps = await query
    .selectFrom("toolwright.suspended_steps")
    .select("record")
    .where("tenant", "=", tenant)
    .where("root", "=", callId)
    .execute();
  return {
    call: { ...row.call, waitsFor, ranMs: row.ran_ms, expiresAt: row.expires_at.getTime() },
    steps: steps.map(({ record }) => record),
    ...(row.result && { result: row.result }),
    isHeld: row.held_until.getTime() > now,
  };
}
