import { type TurnFilter, type TurnRecord, turnLimit } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { isOpenRow, toTurnRecord } from "./turn-row.ts";

export async function listTurns(query: Query, tenant: string, filter: TurnFilter): Promise<readonly TurnRecord[]> {
  return (await selectTurns(query, tenant, filter).execute()).map(toTurnRecord);
}

/** Exported so that its plan can be looked at. */
export function selectTurns(query: Query, tenant: string, { owner, conversation, agent, parents, states, limit }: TurnFilter) {
  return query
    .selectFrom("toolwright.turns")
    .selectAll()
    .where("tenant", "=", tenant)
    .$if(owner !== undefined, (some) => some.where("owner", "=", storableText(owner ?? "")))
    .$if(conversation !== undefined, (some) => some.where("conversation", "=", storableText(conversation ?? "")))
    .$if(agent !== undefined, (some) => some.where("agent", "=", storableText(agent ?? "")))
    .$if(parents !== undefined, (some) => some.where(sql<boolean>`parent = any(${(parents ?? []).map(storableText)}::text[])`))
    .$if(states !== undefined, (some) => some.where(sql<boolean>`state = any(${[...(states ?? [])]}::text[])`))
    .orderBy("created_at", "desc")
    .orderBy("turn", "desc")
    .limit(turnLimit({ limit }));
}

interface LostFilter {
  readonly now: number;
  readonly limit: number;
}

/** Those that run first. */
export async function listLost(query: Query, { now, limit }: LostFilter): Promise<readonly TurnRecord[]> {
  const running = await selectLost(query, { now, limit }).execute();
  const left = limit - running.length;
  const waiting = left > 0 ? await selectForgotten(query, { now, limit: left }).execute() : [];
  return [...running, ...waiting].map(toTurnRecord);
}

/** Exported so that its plan can be looked at. */
export function selectLost(query: Query, { now, limit }: LostFilter) {
  return query
    .selectFrom("toolwright.turns")
    .selectAll()
    .where("state", "=", "running")
    .where("held_until", "<=", new Date(now))
    .where((where) => where.or([where("parent", "is", null), where("background", "=", true)]))
    .orderBy("created_at")
    .orderBy("turn")
    .limit(limit);
}

/** Milliseconds in which a turn whose approvals are answered is gone on with by its call. */
const resumedMs = 15_000;

/**
 * Turns that wait for approvals which are over, and that no call goes on with: their process died after the turn began to wait and before its
 * call did. Exported so that its plan can be looked at.
 */
export function selectForgotten(query: Query, { now, limit }: LostFilter) {
  const at = new Date(now - resumedMs);
  return query
    .selectFrom("toolwright.turns as t")
    .selectAll("t")
    .where(isOpenRow)
    .where("t.state", "=", "waiting")
    .where("t.held_until", "<=", new Date(now))
    .where(
      sql<boolean>`not exists (select from json_array_elements_text(t.waits_for) as w(id)
        left join toolwright.approvals as a on a.tenant = t.tenant and a.approval = w.id
        where a.approval is null or not (coalesce(a.settled_at, a.expires_at) <= ${at}))`,
    )
    .orderBy("t.created_at")
    .orderBy("t.turn")
    .limit(limit);
}
