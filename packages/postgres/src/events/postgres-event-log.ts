import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { SessionEvent } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type AppendOptions, checkEvent, type EventLog, KeyTaken } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { isOutage, isPassing, toStoreError } from "../database/store-failure.ts";
import { appendBatch } from "./append-batch.ts";
import { type ChainHeads, createChainHeads } from "./chain-heads.ts";
import { readEvents } from "./event-queries.ts";
import { toStorable } from "./event-row.ts";
import { gatherWrites } from "./gather-writes.ts";
import { packBatch } from "./pack-batch.ts";
import { type LogEntry, packKeys, takenOf } from "./pack-keys.ts";

interface PostgresEventLog extends EventLog {
  /** Resolves when all that was appended before is written or was refused. */
  settle(): Promise<void>;
}

const mostEventsOfAWrite = 500;
const roomForEvents = 20_000;
/**
 * Milliseconds between tries when the database does not answer; when all are used up, the write is refused. From then on each has one try,
 * until one is written: a database that stays away does not hold up every call.
 */
const triesAfterMs = [50, 200, 500, 1_000, 2_000, 4_000];
/** Milliseconds after which there is no other try, where the tries themselves take their time. */
const usualPatienceMs = 8_000;
/** Milliseconds that what nobody waits for is gathered; far below the 100 ms in which it is to be in the log. */
const lingerMs = 25;
/** Events that are not gathered any longer: what a write costs beside its events is then a small part of it. */
const enoughEvents = 250;
const usageShards = 8;

interface EventLogOptions {
  readonly patienceMs?: number | undefined;
  /** Where the chains of sessions end, as far as this process knows. */
  readonly heads?: ChainHeads | undefined;
}

/** The log in PostgreSQL. `process` names this process, so that what it leaves unfinished is found when it is gone. */
export function createPostgresEventLog(
  database: Database,
  process: string,
  { patienceMs = usualPatienceMs, heads = createChainHeads() }: EventLogOptions = {},
): PostgresEventLog {
  const writer: Writer = { database, process, id: randomUUID(), shard: randomInt(usageShards), heads, patienceMs, batch: 0, isAway: false };
  const writes = gatherWrites<LogEntry>({
    write: (tenant, entries) => writeEntries(writer, tenant, entries),
    most: mostEventsOfAWrite,
    linger: { ms: lingerMs, enough: enoughEvents },
    room: roomForEvents,
    isForAll: isOutage,
    culpritsOf: takenOf,
    refuse: () =>
      new ToolwrightError(
        "store_unreachable",
        `More than ${roomForEvents} events wait for the database; no more are taken until it answers.`,
      ),
  });
  /** What can be written of one caller's events is, also where some of its calls were ended in the place of this process. */
  const append = async (tenant: string, events: readonly SessionEvent[], { key, ...options }: AppendOptions = {}) => {
    const entries = events.map((event, index): LogEntry => ({ event, key: index === 0 ? key : undefined }));
    try {
      await writes.add(tenant, entries, options);
    } catch (error) {
      if (takenOf(error, entries)) throw new KeyTaken();
      if (!isLost(error)) throw error;
      const apart = entries.length > 1 ? await Promise.allSettled(entries.map((entry) => writes.add(tenant, [entry]))) : [];
      const failed = apart.find((one) => one.status === "rejected" && !isLost(one.reason));
      throw failed?.status === "rejected" ? failed.reason : endedElsewhere(error);
    }
  };
  return {
    async append(events, options) {
      events.forEach(checkEvent);
      await Promise.all(byTenant(events).map(([tenant, some]) => append(tenant, some.map(toStorable), options)));
    },
    read: (query) => database.asTenant(query.tenant, (transaction) => readEvents(transaction, query)),
    settle: writes.settle,
  };
}

interface Writer {
  readonly database: Database;
  readonly process: string;
  readonly id: string;
  readonly shard: number;
  readonly heads: ChainHeads;
  readonly patienceMs: number;
  /** Number of the last batch that it sent. */
  batch: number;
  /** The last batch could not be written. */
  isAway: boolean;
}

/** A batch whose answer was lost may have been written: sent again under its number, it is written once. */
async function writeEntries(writer: Writer, tenant: string, entries: readonly LogEntry[]): Promise<void> {
  writer.batch += 1;
  const { batch, database, process, id, heads } = writer;
  const events = entries.map(({ event }) => event);
  const packed = { ...packBatch(events, heads, writer.shard), keys: packKeys(entries) };
  const startedAt = performance.now();
  for (const afterMs of [...(writer.isAway ? [] : triesAfterMs), undefined]) {
    try {
      // Without a transaction around the one statement, which would be four ways to the database.
      const moved = await appendBatch(database.owner, { tenant, process, writer: id, batch }, packed);
      for (const [index, { name, ending }] of packed.sessions.entries()) heads.keep(tenant, name, moved?.[index] ?? ending);
      break;
    } catch (error) {
      if (afterMs === undefined || !isPassing(error) || performance.now() - startedAt > writer.patienceMs) {
        writer.isAway = isPassing(error);
        throw toStoreError(error);
      }
      await wait(afterMs);
    }
  }
  for (const { name } of packed.sessions) database.announce({ topic: "events", tenant, id: name });
}

/** Some of its calls were ended in the place of this process: the database then takes the rest of the batch in pieces alone. */
function isLost(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "TW001";
}

function endedElsewhere(cause: unknown): ToolwrightError {
  const message =
    "This process showed no sign of life for too long, so another one ended the call as unknown. Look at what it may have changed before you call it again.";
  return new ToolwrightError("call_lost", message, { cause });
}

function byTenant(events: readonly SessionEvent[]): readonly (readonly [string, readonly SessionEvent[]])[] {
  const first = events[0];
  if (first && events.every(({ tenant }) => tenant === first.tenant)) return [[first.tenant, events]];
  return [...Map.groupBy(events, ({ tenant }) => tenant)];
}
