import type { CallEvent } from "@toolwright/engine";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { countUsage } from "../usage/count-usage.ts";
import { toColumns, toSessions } from "./event-row.ts";
import { findInFlight } from "./find-in-flight.ts";

export interface BatchName {
  readonly tenant: string;
  /** Which writes it. */
  readonly process: string;
  readonly writer: string;
  /** Rises with every batch of a writer: one that comes again is written once. */
  readonly batch: number;
}

/** Everything of one batch that the database is told, worked out once: it may have to be told again. */
export function packBatch(events: readonly CallEvent[], usageShard: number) {
  return {
    sessions: toSessions(events),
    columns: toColumns(events),
    inFlight: findInFlight(events),
    usage: countUsage(events, usageShard),
  };
}

/** In one statement, which takes the tenant's role by itself; `db` is under none of ours. */
export function appendBatch(
  db: Kysely<Tables>,
  { tenant, process, writer, batch }: BatchName,
  { sessions, columns, inFlight, usage }: ReturnType<typeof packBatch>,
): Promise<unknown> {
  const { names, firsts, lasts, places } = sessions;
  const [digests, ats, types, calls, tools, kinds, ids, agents, doors, sources, datas] = columns;
  const { starting, ending } = inFlight;
  const counted = usage === undefined ? null : JSON.stringify(usage);
  return sql`select toolwright.write_events(${tenant}, ${process}, ${writer}, ${batch}::bigint, ${names}::text[], ${firsts}::timestamptz[],
    ${lasts}::timestamptz[], ${places}::int[], ${digests}::text[], ${ats}::timestamptz[], ${types}::text[], ${calls}::text[], ${tools}::text[],
    ${kinds}::text[], ${ids}::text[], ${agents}::text[], ${doors}::text[], ${sources}::text[], ${datas}::text[], ${starting}::text[],
    ${ending}::text[], ${counted}::json)`.execute(db);
}
