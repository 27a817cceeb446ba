import type { SessionEvent } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import type { EventLog } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { isOutage } from "../database/store-failure.ts";

interface RetryingLog extends EventLog {
  /** Writes the endings that the database could not be told when they came. */
  retry(): Promise<void>;
}

const endings: ReadonlySet<string> = new Set(["tool.completed", "tool.failed", "tool.cancelled"]);
/** Endings that are remembered while the database is away or full; of more than that, the oldest end as unknown when this process does. */
const mostPending = 10_000;

/**
 * Remembers endings that could not be written because the database was away or full: without them their calls would seem to run for as long as this
 * process lives. They are written when it is back, unless somebody ended the calls meanwhile.
 */
export function retryEndings(log: EventLog, database: Database, process: string): RetryingLog {
  const pending = new Map<string, SessionEvent>();
  const remember = (events: readonly SessionEvent[]) => {
    for (const event of events) if (endings.has(event.type)) pending.set(JSON.stringify([event.tenant, event.callId]), event);
    for (const [oldest] of pending) if (pending.size > mostPending) pending.delete(oldest);
  };
  return {
    read: (query) => log.read(query),
    async append(events, options) {
      try {
        await log.append(events, options);
      } catch (error) {
        if (isOutage(error)) remember(events);
        throw error;
      }
    },
    async retry() {
      if (pending.size === 0) return;
      const waiting = await readOwn(database, process);
      const due = [...pending].filter(([place]) => waiting.has(place)).map(([, event]) => event);
      // Of those that were ended meanwhile the log takes nothing, and nothing is pending.
      if (due.length > 0) await log.append(due).catch((error: unknown) => (isEndedElsewhere(error) ? undefined : Promise.reject(error)));
      pending.clear();
    },
  };
}

function isEndedElsewhere(error: unknown): boolean {
  return ToolwrightError.is(error) && error.code === "call_lost";
}

/** Calls of this process that the log still waits for. */
async function readOwn(database: Database, process: string): Promise<ReadonlySet<string>> {
  const rows = await database.asSystem((query) =>
    query.selectFrom("toolwright.calls_in_flight").select(["tenant", "call_id"]).where("process", "=", process).execute(),
  );
  return new Set(rows.map(({ tenant, call_id: callId }) => JSON.stringify([tenant, callId])));
}
