import { type TurnFilter, type TurnRecord, turnLimit } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { toTurnRecord } from "./turn-row.ts";

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

export interface LostFilter {
  readonly now: number;
  readonly limit: number;
}

export async function listLost(query: Query, filter: LostFilter): Promise<readonly TurnRecord[]> {
  return (await selectLost(query, filter).execute()).map(toTurnRecord);
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
