import type { ApprovalRecord } from "@toolwright/engine";
import { type Clock, systemClock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { agreeOnAdmission } from "./agree-on-admission.ts";
import { beat, listen } from "./beat.ts";
import { createDatabaseClock } from "./database-clock.ts";
import { endLostCalls } from "./end-lost-calls.ts";
import { noteExpired } from "./note-expired.ts";
import { readProcessIdentity } from "./process-identity.ts";

interface ProcessOptions {
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** What it does, for people: `serve`, `worker`. */
  readonly role: string;
  readonly host: string;
  /** Milliseconds between two signs of life. Default 2 000. */
  readonly beatMs?: number;
  /**
   * Milliseconds without a sign of life after which a process is taken for gone. Default 10 000. One on the same machine that is there all
   * the same is given five minutes: its event loop is busy. (On Linux; elsewhere there is no looking.)
   */
  readonly leaseMs?: number;
  /** Clock of this machine. */
  readonly clock?: Clock;
  /** For a process that calls nothing and is soon over: while nobody is lost it leaves no record of itself, until its second sign of life. */
  readonly brief?: boolean | undefined;
  /** What this process owes the store: done with every sign of life. */
  readonly retryEndings?: () => Promise<void>;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** This process among those that use the store: it shows that it lives, and ends what others that died left unfinished. */
export interface ProcessRegistry {
  /** The database's time, by which every process decides what is over and what is due. */
  readonly clock: Clock;
  /** What is wrong with the database, in words for an operator; undefined while it answers and takes what is written. */
  readonly trouble: string | undefined;
  /** Shows life and looks for the dead now. Never rejects. */
  look(): Promise<void>;
  /** Puts on record whom this process lets in. Throws `store_in_use` where another server of the store lets in others. */
  admit(admits: string, options?: { readonly waitMs?: number }): Promise<void>;
  /** Notes which approvals nobody answered in time; of several processes one does. */
  noteExpired(): Promise<void>;
  /** Leaves: what it has in flight is ended by the others at once. */
  close(): Promise<void>;
}

const noteEveryMs = 60_000;
/** Milliseconds after which a sign of life that is under way counts as one that is not heard. */
const silenceMs = 3_000;

/** Resolves when the process has looked once, and is registered unless it is brief and nobody is lost. */
export async function createProcessRegistry(database: Database, options: ProcessOptions): Promise<ProcessRegistry> {
  const { process, beatMs = 2_000, leaseMs = 10_000, retryEndings, warn, onExpired } = options;
  let { brief = false } = options;
  const clock = createDatabaseClock(options.clock ?? systemClock);
  const place = readProcessIdentity();
  let closed = false;
  let stopTimer = () => {};
  let failure: string | undefined;
  let admits: string | undefined;
  let isOnRecord = false;
  let answeredAt = clock.monotonic();
  let notedAt = clock.monotonic();
  const note = () => noteExpired(database, { now: clock.now(), ...(onExpired && { onExpired }) });
  const lookNow = async () => {
    try {
      if (brief) {
        const { isQuiet, now } = await listen(database, leaseMs);
        brief = false;
        if (isQuiet) return clock.set(now);
      }
      const { isSteady, isQuiet, now } = await beat(database, { ...options, leaseMs, place, admits });
      isOnRecord = true;
      clock.set(now);
      if (isSteady && !isQuiet) await endLostCalls(database, { process, leaseMs, place, now: clock.now() });
      await retryEndings?.();
      failure = undefined;
      answeredAt = clock.monotonic();
      if (clock.monotonic() - notedAt < noteEveryMs) return;
      notedAt = clock.monotonic();
      await note();
    } catch (error) {
      if (failure === undefined && !closed) warn?.(`This process could not show that it lives; it tries again: ${String(error)}`);
      failure = error instanceof Error ? error.message : String(error);
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const look = () => {
    looking = looking.then(lookNow);
    return looking;
  };
  const again = () => {
    if (!closed) stopTimer = clock.after(beatMs, () => void look().then(again));
  };
  await look();
  again();
  return {
    clock,
    get trouble() {
      const silentMs = clock.monotonic() - answeredAt;
      return (
        failure ?? (silentMs > beatMs + silenceMs ? `The database has not answered for ${Math.round(silentMs / 1_000)} s.` : undefined)
      );
    },
    look,
    async admit(wanted, waiting = {}) {
      await agreeOnAdmission(database, { process, admits: wanted, leaseMs, place, clock, ...waiting });
      // From here on it is said again where the record was lost.
      admits = wanted;
    },
    noteExpired: note,
    async close() {
      closed = true;
      stopTimer();
      await looking;
      if (isOnRecord) await leave(database, process).catch((error: unknown) => warn?.(`This process could not sign off: ${String(error)}`));
    },
  };
}

/** Where nothing of it is in flight its record goes. Else it is gone at once for whoever looks next: what is in flight will not be ended by it. */
function leave(database: Database, process: string): Promise<unknown> {
  return database.asSystem((query) =>
    sql`
      with gone as (
        delete from toolwright.processes where process = ${process}
          and not exists (select from toolwright.calls_in_flight where process = ${process})
          and not exists (select from toolwright.idempotency_keys where process = ${process} and result is null)
          and not exists (
            select from toolwright.idempotency_keys as k join toolwright.approvals as a on a.tenant = k.tenant and a.call_id = k.call_id
              where a.claimed_by = ${process} and not k.is_final
          )
          returning process
      )
      update toolwright.processes set seen_at = to_timestamp(0) where process = ${process} and not exists (select from gone)`.execute(
      query,
    ),
  );
}
