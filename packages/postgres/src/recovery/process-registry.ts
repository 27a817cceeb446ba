import { type ApprovalRecord, type Clock, systemClock } from "@toolwright/engine";
import type { Database } from "../database/database.ts";
import { beat } from "./beat.ts";
import { endLostCalls } from "./end-lost-calls.ts";
import { tidyCalls } from "./tidy-calls.ts";

export interface ProcessOptions {
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** What it does, for people: `serve`, `worker`. */
  readonly role: string;
  readonly host: string;
  /** Milliseconds between two signs of life. Default 2 000. */
  readonly beatMs?: number;
  /** Milliseconds without a sign of life after which a process is taken for gone. Default 10 000. */
  readonly leaseMs?: number;
  /** Milliseconds that approvals and grants are kept when they are over. Default 30 days. */
  readonly keepMs?: number;
  readonly clock?: Clock;
  /** What this process owes the store: done with every sign of life. */
  readonly pay?: () => Promise<void>;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** This process among those that use the store: it shows that it lives, and ends what others that died left unfinished. */
export interface ProcessRegistry {
  /** Shows life and looks for the dead now. Never rejects. */
  look(): Promise<void>;
  /** Notes what expired and removes what has been over for long; of several processes one does. Says how many rows went. */
  tidy(): Promise<number>;
  /** Leaves: what it has in flight is ended by the others at once. */
  close(): Promise<void>;
}

const tidyEveryMs = 60_000;

/** Resolves when the process is registered and has looked once. */
export async function createProcessRegistry(database: Database, options: ProcessOptions): Promise<ProcessRegistry> {
  const { process, beatMs = 2_000, leaseMs = 10_000, keepMs, clock = systemClock, pay, warn, onExpired } = options;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let isAway = false;
  let tidiedAt = clock.monotonic();
  const tidy = () => tidyCalls(database, { now: clock.now(), ...(keepMs !== undefined && { keepMs }), ...(onExpired && { onExpired }) });
  const lookNow = async () => {
    try {
      const { isSteady } = await beat(database, { ...options, leaseMs });
      if (isSteady) await endLostCalls(database, { process, leaseMs, now: clock.now() });
      await pay?.();
      isAway = false;
      if (clock.monotonic() - tidiedAt < tidyEveryMs) return;
      tidiedAt = clock.monotonic();
      await tidy();
    } catch (error) {
      if (!isAway && !closed) warn?.(`This process could not show that it lives; it tries again: ${String(error)}`);
      isAway = true;
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = looking.then(lookNow);
    return looking;
  };
  const again = () => {
    if (!closed) timer = setTimeout(() => void look().then(again), beatMs).unref();
  };
  await look();
  again();
  return {
    look,
    tidy,
    async close() {
      closed = true;
      clearTimeout(timer);
      await looking;
      await leave(database, process).catch((error: unknown) => warn?.(`This process could not sign off: ${String(error)}`));
    },
  };
}

/** Gone at once for whoever looks next: nothing of it is in flight, or what is will not be ended by it. */
function leave(database: Database, process: string): Promise<unknown> {
  return database.asSystem((query) =>
    query
      .updateTable("toolwright.processes")
      .set({ seen_at: new Date(0) })
      .where("process", "=", process)
      .execute(),
  );
}
