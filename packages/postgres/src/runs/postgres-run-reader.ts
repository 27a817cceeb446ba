import type { CallEvent, StoredEvent } from "@toolwright/engine";
import { formatRunKey, type RunFilter, type RunReader } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { type EventRow, toCallEvent } from "../events/event-row.ts";
import { findRun, firstTypes, keyOf, listRuns, selectRunKeys } from "./list-runs.ts";

export function createPostgresRunReader(database: Database): RunReader {
  return {
    list: (filter) => listRuns(database, filter),
    find: (tenant, id) => findRun(database, tenant, id),
    beginnings: (filter) => readBeginnings(database, filter),
  };
}

const callsAtOnce = 500;

/** The event that each call began with, newest call first: how it was decided, or that it never came to that. Without a limit all of them. */
async function* readBeginnings(database: Database, filter: Omit<RunFilter, "status" | "parent">): AsyncGenerator<StoredEvent<CallEvent>> {
  let left = filter.limit ?? Number.POSITIVE_INFINITY;
  for (let after = filter.after; left > 0; ) {
    const limit = Math.min(left, callsAtOnce);
    const { keys, events } = await database.asTenant(filter.tenant, (query) => readPage(query, { ...filter, after, limit }));
    yield* events;
    const last = keys.at(-1);
    if (keys.length < limit || !last) return;
    left -= keys.length;
    after = formatRunKey(keyOf(last));
  }
}

async function readPage(query: Query, { limit, ...filter }: RunFilter & { readonly limit: number }) {
  const { rows: keys } = await selectRunKeys(filter, limit).execute(query);
  if (keys.length === 0) return { keys, events: [] };
  const rows = await query
    .selectFrom("toolwright.events")
    .selectAll()
    .where("tenant", "=", filter.tenant)
    .where(
      "call_id",
      "in",
      keys.map(({ call_id }) => call_id),
    )
    .where("type", "in", firstTypes)
    .orderBy("sequence", "desc")
    .execute();
  // Of each call the one with the lowest number: it is put in last.
  const first = new Map((rows as readonly EventRow[]).map((row) => [row.call_id, toCallEvent(row)]));
  return { keys, events: keys.flatMap(({ call_id }) => first.get(call_id) ?? []) };
}
