import type { CallEvent } from "@toolwright/engine";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { countUsage } from "../usage/count-usage.ts";
import { toColumns } from "./event-row.ts";
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
  return { columns: toColumns(events), inFlight: findInFlight(events), usage: countUsage(events, usageShard) };
}

/** In one statement, which takes the tenant's role by itself; `db` is under none of ours. */
export function appendBatch(
  db: Kysely<Tables>,
  { tenant, process, writer, batch }: BatchName,
  { columns, inFlight, usage }: ReturnType<typeof packBatch>,
): Promise<unknown> {
  const [sessions, digests, ats, types, calls, tools, kinds, ids, agents, doors, sources, datas] = columns;
  const { starting, ending } = inFlight;
  const counted = usage === undefined ? null : JSON.stringify(usage);
  return sql`select toolwright.append_events(${tenant}, ${process}, ${writer}, ${batch}::bigint, ${sessions}::text[], ${digests}::text[],
    ${ats}::timestamptz[], ${types}::text[], ${calls}::text[], ${tools}::text[], ${kinds}::text[], ${ids}::text[], ${agents}::text[],
    ${doors}::text[], ${sources}::text[], ${datas}::text[], ${starting}::text[], ${ending}::text[], ${counted}::json)`.execute(db);
}
