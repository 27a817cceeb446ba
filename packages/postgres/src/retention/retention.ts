import { createHash } from "node:crypto";
import { type Clock, type Removed, type RetentionAdmin, systemClock } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import {
  countOldSessions,
  readBusySessions,
  removeOldSessions,
  removeSessionPage,
  type SessionName,
} from "../events/remove-old-sessions.ts";
import { keepLooking } from "../maintenance/keep-looking.ts";
import { choresAt, countRows, defaultPeriods, type Periods, removeRows } from "./chores.ts";
import { endLease, keepLease, type LastRetention, readLastRetention, takeLease } from "./retention-lease.ts";

export interface RetentionOptions {
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  readonly periods?: Partial<Periods> | undefined;
  readonly clock?: Clock;
  readonly warn?: ((message: string) => void) | undefined;
}

/** What removes what is over, and when it did. */
export interface Retention extends RetentionAdmin {
  last(): Promise<LastRetention | undefined>;
  /** From now on whenever it is due, until what is returned is called and resolves. `finishMs`: how long a removal may then go on; default 0. */
  start(onRemoved?: (removed: Removed) => void, options?: { readonly finishMs?: number | undefined }): () => Promise<void>;
}

const hour = 60 * 60 * 1000;
const lookMs = 5 * 60 * 1000;
const spreadMs = 60_000;

export function createRetention(database: Database, options: RetentionOptions): Retention {
  const { process, clock = systemClock, warn } = options;
  const periods = { ...defaultPeriods, ...options.periods };
  const run = async (isWanted: boolean, signal?: AbortSignal): Promise<Removed | undefined> => {
    if (!(await takeLease(database, { process, now: clock.now(), isWanted }))) return undefined;
    const total = new Map<string, number>();
    let isDone = false;
    try {
      isDone = await removeAll(database, { process, clock, periods, total }, signal);
    } finally {
      const done = isDone ? { outcome: Object.fromEntries(total), dueAt: clock.now() + hour } : undefined;
      await endLease(database, { process, now: clock.now() }, done);
    }
    return Object.fromEntries(total);
  };
  return {
    tidy: (signal) => run(true, signal),
    preview: () => preview(database, clock.now(), periods),
    last: () => readLastRetention(database),
    removeSessions: (old) => removeOldSessions(database, old),
    start(onRemoved, { finishMs } = {}) {
      // Processes that started together do not all look at the same moment.
      const everyMs = lookMs + (createHash("sha256").update(process).digest().readUInt32BE() % spreadMs);
      const onError = (error: unknown) => warn?.(`What is over could not be removed; it is tried again: ${String(error)}`);
      return keepLooking(
        async (signal) => {
          const removed = await run(false, signal);
          if (removed && Object.keys(removed).length > 0) onRemoved?.(removed);
        },
        { clock, everyMs, onError, finishMs },
      );
    },
  };
}

interface Work {
  readonly process: string;
  readonly clock: Clock;
  readonly periods: Periods;
  readonly total: Map<string, number>;
}

/** False when it was stopped before its end. */
async function removeAll(database: Database, { process, clock, periods, total }: Work, signal?: AbortSignal): Promise<boolean> {
  const now = clock.now();
  const step = <Result>(work: (query: Query) => Promise<Result>) =>
    signal?.aborted
      ? undefined
      : database.asSystem(async (query) => ((await keepLease(query, { process, now: clock.now() })) ? work(query) : undefined));
  const add = (what: string, count: number) => void (count > 0 && total.set(what, (total.get(what) ?? 0) + count));
  if (periods.logMs !== undefined) {
    const before = now - periods.logMs;
    const busy = await step(readBusySessions);
    for (let after: SessionName | undefined; ; ) {
      const page = busy && (await step((query) => removeSessionPage(query, { before, busy, after })));
      if (!page) return false;
      for (const what of ["sessions", "events", "artifacts", "messages"] as const) add(what, page[what]);
      if (!page.next) break;
      after = page.next;
    }
  }
  for (const chore of choresAt(now, periods)) {
    const remove = () => step((query) => removeRows(query, chore));
    for (let some = await remove(); ; some = await remove()) {
      if (!some) return false;
      add(chore.what, some.count);
      if (!some.more) break;
    }
  }
  return true;
}

function preview(database: Database, now: number, periods: Periods): Promise<Removed> {
  return database.asSystem(async (query) => {
    const total = new Map<string, number>();
    const add = (what: string, count: number) => void (count > 0 && total.set(what, (total.get(what) ?? 0) + count));
    if (periods.logMs !== undefined) {
      const busy = await readBusySessions(query);
      // The older ones are counted with the artifacts.
      const artifactsSince = periods.artifactsMs === undefined ? 0 : now - periods.artifactsMs;
      const counts = await countOldSessions(query, { before: now - periods.logMs, busy, artifactsSince });
      for (const [what, count] of Object.entries(counts)) add(what, count);
    }
    for (const chore of choresAt(now, periods)) add(chore.what, await countRows(query, chore));
    return Object.fromEntries(total);
  });
}
