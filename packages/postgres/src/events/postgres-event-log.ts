import { type CallEvent, type EventLog, ToolwrightError } from "@toolwright/engine";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { type EventRow, toColumns, toStorable, toStoredEvent } from "./event-row.ts";
import { gatherWrites } from "./gather-writes.ts";

export interface PostgresEventLog extends EventLog {
  /** Resolves when all that was appended before is written or was refused. */
  settle(): Promise<void>;
}

const mostEventsOfAWrite = 500;
const roomForEvents = 20_000;
const defaultPage = 10_000;

/** The log in PostgreSQL. `process` names this process, so that what it leaves unfinished is found when it is gone. */
export function createPostgresEventLog(database: Database, process: string): PostgresEventLog {
  const writes = gatherWrites<CallEvent>({
    write: (tenant, events) => writeEvents(database, { tenant, process, events }),
    most: mostEventsOfAWrite,
    room: roomForEvents,
    refuse: () =>
      new ToolwrightError(
        "store_unreachable",
        `More than ${roomForEvents} events wait for the database; no more are taken until it answers.`,
      ),
  });
  return {
    async append(events) {
      await Promise.all(byTenant(events).map(([tenant, some]) => writes.add(tenant, some.map(toStorable))));
    },
    read: ({ tenant, session, after = 0, limit = defaultPage }) =>
      database.asTenant(tenant, async (query) => {
        const rows = await query
          .selectFrom("toolwright.events")
          .selectAll()
          .where("tenant", "=", tenant)
          .where("session", "=", session)
          .where("sequence", ">", after)
          .orderBy("sequence")
          .limit(limit)
          .execute();
        return (rows as readonly EventRow[]).map(toStoredEvent);
      }),
    settle: writes.settle,
  };
}

interface Batch {
  readonly tenant: string;
  readonly process: string;
  readonly events: readonly CallEvent[];
}

async function writeEvents(database: Database, { tenant, process, events }: Batch): Promise<void> {
  const [sessions, digests, ats, types, calls, tools, kinds, ids, agents, doors, sources, datas] = toColumns(events);
  await database.asTenant(tenant, (query) =>
    sql`select toolwright.append_events(${tenant}, ${process}, ${sessions}::text[], ${digests}::text[], ${ats}::timestamptz[], ${types}::text[],
      ${calls}::text[], ${tools}::text[], ${kinds}::text[], ${ids}::text[], ${agents}::text[], ${doors}::text[], ${sources}::text[], ${datas}::text[])`.execute(
      query,
    ),
  );
  for (const session of new Set(sessions)) database.announce({ topic: "events", tenant, id: session });
}

function byTenant(events: readonly CallEvent[]): readonly (readonly [string, readonly CallEvent[]])[] {
  const first = events[0];
  if (first && events.every(({ tenant }) => tenant === first.tenant)) return [[first.tenant, events]];
  return [...Map.groupBy(events, ({ tenant }) => tenant)];
}
