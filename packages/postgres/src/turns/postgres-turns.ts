import type { CallUsage } from "@toolwright/engine";
import {
  type HeldTurn,
  type KeptStep,
  type Lease,
  type OpenStep,
  sumBudgets,
  type TurnBudget,
  type TurnHold,
  type TurnNews,
  type TurnRecord,
  type TurnRef,
  type Turns,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import { callFunction } from "../database/call-function.ts";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { beginTurn } from "./begin-turn.ts";
import { readContext, writeContext } from "./contexts.ts";
import { listLost, listTurns } from "./list-turns.ts";
import { readConversation, readMessages, readWaiting } from "./messages.ts";
import { reserveBudget } from "./reserve-budget.ts";
import { sumTurnUsage } from "./sum-turn-usage.ts";
import { findTurn, type TurnRow, toTurnRecord } from "./turn-row.ts";
import { cancelTurn, endTurn, holdTurn, waitInTurn } from "./write-turn.ts";

/** Announced with the turn's id: it changed. */
const turnsTopic = "turns";

export function announceTurn(database: Database, { tenant, id }: TurnRef): void {
  database.announce({ topic: turnsTopic, tenant, id });
}

/** Turns in PostgreSQL: the index of open turns lets one of any number of runs begin in a conversation. Each function is one transaction. */
export function createPostgresTurns(database: Database): Turns {
  /** Tells of the turn where something came of it. */
  const change = async <Result>(ref: TurnRef, work: (query: Query) => Promise<Result>): Promise<Result> => {
    const result = await database.asTenant(ref.tenant, work);
    if (result) announceTurn(database, ref);
    return result;
  };
  return {
    async begin(turn, message, lease) {
      const begun = await database.asTenant(turn.tenant, (query) => beginTurn(query, turn, { message, lease }));
      announceTurn(database, begun.turn);
      return begun;
    },
    get: (ref) => database.asTenant(ref.tenant, (query) => findTurn(query, ref)),
    list: (tenant, filter) => database.asTenant(tenant, (query) => listTurns(query, tenant, filter)),
    usage: (filter) => database.asTenant(filter.tenant, (query) => sumTurnUsage(query, filter)),
    messages: (filter) => database.asTenant(filter.tenant, (query) => readMessages(query, filter)),
    queued: (of) => database.asTenant(of.tenant, (query) => readWaiting(query, of)),
    take: (ref, lease, now) => change(ref, (query) => takeTurn(query, ref, { lease, now })),
    lost: (filter) => database.asSystem((query) => listLost(query, filter)),
    news: (held, next) => readNews(database, held, next),
    async keep(held, step) {
      const isKept = await keepStep(database, held, step);
      if (isKept && step.delivered.length > 0) announceTurn(database, held);
      return isKept;
    },
    keepContext: (held, context) => database.asTenant(held.tenant, (query) => writeContext(query, held, context)),
    hold: (held, change) => database.asTenant(held.tenant, (query) => holdTurn(query, held, change)),
    wait: (held, waiting) => change(held, (query) => waitInTurn(query, held, waiting)),
    end: (held, ending) => change(held, (query) => endTurn(query, held, ending)),
    cancel: (ref, reason) => change(ref, (query) => cancelTurn(query, ref, reason)),
    follow: (tenant, listener) =>
      database.listen(turnsTopic, (announcement) => {
        if (!announcement || announcement.tenant === tenant) listener(announcement?.id);
      }),
  };
}

function keepStep(database: Database, { tenant, id, holder }: TurnHold, kept: KeptStep): Promise<boolean> {
  const { step, response, settled, delivered, usage, at } = kept;
  const messages = settled.map((message) => JSON.stringify(message));
  return callFunction(
    database,
    sql`toolwright.keep_step(${tenant}, ${storableText(id)}, ${holder}, ${step}::int, ${JSON.stringify(response)}::json,
      ${messages}::text[], ${delivered.map(Number)}::bigint[], ${JSON.stringify(usage)}::json, ${at}::bigint)`,
  );
}

interface Row extends Pick<TurnNews, "queued"> {
  readonly cancelReason: string | null;
  readonly parent: string | null;
  readonly usage: CallUsage;
  readonly hasChildren: boolean;
}

async function readNews(database: Database, held: TurnHold, next: TurnBudget): Promise<TurnNews | undefined> {
  const { tenant, id, holder } = held;
  const row = await callFunction<Row | null>(database, sql`toolwright.read_news(${tenant}, ${storableText(id)}, ${holder})`);
  if (!row) return undefined;
  const { queued, cancelReason, parent, hasChildren, usage } = row;
  // Nobody shares the budget of a turn without sub-agents.
  const isAlone = parent === null && !hasChildren;
  const reserve = () => database.asTenant(tenant, (query) => reserveBudget(query, held, { root: parent ?? id, next }));
  const taken = isAlone ? sumBudgets([{ usage, reserved: {} }]) : await reserve();
  return { queued, taken, ...(cancelReason !== null && { cancelReason }) };
}

interface Taking {
  readonly lease: Lease;
  readonly now: number;
}

/** Undefined for one that another run holds, that has ended or is not there. */
async function takeTurn(query: Query, ref: TurnRef, taking: Taking): Promise<HeldTurn | undefined> {
  const taken = await holdFree(query, ref, taking);
  if (!taken) return undefined;
  const { waited_for: waitedFor, ...row } = taken;
  const turn = toTurnRecord(row);
  const open = await readStep(query, turn);
  const context = await readContext(query, turn);
  const rest = { ...(row.profile !== null && { profile: row.profile }), ...context, ...(open && { open }) };
  return { turn, messages: await readConversation(query, turn), waitedFor, ...rest };
}

/** The row is read locked: of many who take it up, the later ones see that it is held. */
async function holdFree(query: Query, { tenant, id }: TurnRef, { lease: { holder, until }, now }: Taking) {
  const { rows } = await sql<TurnRow & { waited_for: readonly string[] }>`
    with free as (
      select tenant, turn, waits_for from toolwright.turns
      where tenant = ${tenant} and turn = ${storableText(id)}
        and (state = 'waiting' or state = 'running' and held_until <= ${new Date(now)})
      for update
    )
    update toolwright.turns as kept
      set state = 'running', waits_for = '[]', holder = ${holder}, held_until = ${new Date(until)}
      from free where kept.tenant = free.tenant and kept.turn = free.turn
      returning kept.*, free.waits_for as waited_for`.execute(query);
  return rows[0];
}

async function readStep(query: Query, { tenant, id }: TurnRecord): Promise<OpenStep | undefined> {
  return query
    .selectFrom("toolwright.turn_steps")
    .select(["step", "response", "results"])
    .where("tenant", "=", tenant)
    .where("turn", "=", id)
    .executeTakeFirst();
}
