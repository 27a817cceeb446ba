import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine, Ids, Logger } from "@toolwright/engine";
import type { Announcement, Database } from "../database/database.ts";
import { dispatchJobs } from "./dispatch-jobs.ts";
import { openQueue, type Queue, type Ticket } from "./open-queue.ts";
import { cancelTopic, workTopic } from "./postgres-jobs.ts";
import { pruneJobs } from "./prune-jobs.ts";
import { recoverJobs } from "./recover-jobs.ts";
import { runTicket } from "./run-ticket.ts";
import type { StopReason } from "./settle-job.ts";
import { tickSchedules } from "./tick-schedules.ts";

export interface WorkerOptions {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly ids: Ids;
  /** Of this process, unique among all. */
  readonly process: string;
  /** Jobs that it runs at once. Default 8. */
  readonly concurrency?: number;
  /** Jobs of one tenant that all workers run at once, where the tenant has no limit of its own. Default 4. */
  readonly tenantConcurrency?: number;
  /** Milliseconds that jobs are kept when they are over. Default 30 days. */
  readonly keepMs?: number;
  readonly now?: () => number;
}

export interface Worker {
  /** Jobs that it runs now. */
  readonly running: number;
  /** Takes no more jobs, waits so many milliseconds for those that run, and then ends or hands back what is left. */
  stop(graceMs?: number): Promise<void>;
}

/** Milliseconds between two looks for work that nobody announced, signs of life to the queue, and searches for lost jobs. */
const lookMs = 1_000;
const aliveMs = 3_000;
const recoverMs = 30_000;
const pruneMs = 600_000;
const defaultKeepMs = 30 * 24 * 60 * 60 * 1000;
/** Milliseconds that calls have to end after they were told to. */
const endMs = 6_000;

interface Running {
  readonly ticket: Ticket;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Runs jobs until it is stopped; any number of workers share the work. */
export async function startWorker(database: Database, options: WorkerOptions): Promise<Worker> {
  const { logger, now = Date.now, keepMs = defaultKeepMs } = options;
  const queue = await openQueue(database, logger);
  const running = new Map<string, Running>();
  let isStopping = false;
  const look = createLook(database, queue, { ...options, running, isStopping: () => isStopping, again: () => look() });
  const timers = [
    setInterval(look, lookMs),
    setInterval(() => void keepAlive(queue, running, logger), aliveMs),
    setInterval(() => void told(recoverJobs(database, queue, now()), logger), recoverMs),
    setInterval(() => void told(pruneJobs(database, { now: now(), keepMs }), logger), pruneMs),
  ];
  const stopListening = [
    database.listen(workTopic, () => look()),
    database.listen(cancelTopic, (announcement) => void told(cancelRunning(database, running, announcement), logger)),
  ];
  look();
  return {
    get running() {
      return running.size;
    },
    async stop(graceMs = 10_000) {
      isStopping = true;
      for (const stopOne of stopListening) stopOne();
      await look.settle();
      await withinTime(allEnded(running), graceMs);
      for (const { controller } of running.values()) controller.abort("stopping" satisfies StopReason);
      await withinTime(allEnded(running), endMs);
      for (const timer of timers) clearInterval(timer);
      await queue.close();
    },
  };
}

interface LookOptions extends WorkerOptions {
  readonly running: Map<string, Running>;
  readonly isStopping: () => boolean;
  readonly again: () => void;
}

interface Look {
  /** Looks for work now, or once more when it is at it. */
  (): void;
  settle(): Promise<void>;
}

function createLook(database: Database, queue: Queue, options: LookOptions): Look {
  let looking: Promise<void> | undefined;
  let isAskedAgain = false;
  const lookOnce = async () => {
    // The embedded database answers within one turn of the event loop: without this, a long backlog would keep requests and timers waiting.
    await nextTurn();
    isAskedAgain = false;
    await told(takeWork(database, queue, options), options.logger);
    looking = undefined;
    if (isAskedAgain && !options.isStopping()) look();
  };
  const look = () => {
    isAskedAgain = true;
    if (!options.isStopping()) looking ??= lookOnce();
  };
  return Object.assign(look, { settle: async () => looking });
}

async function takeWork(database: Database, queue: Queue, options: LookOptions): Promise<void> {
  const { ids, running, concurrency = 8, tenantConcurrency = 4 } = options;
  const now = options.now ?? Date.now;
  await tickSchedules(database, { ids, now: now() });
  await dispatchJobs(database, queue, { now: now(), mostAtOnce: tenantConcurrency });
  const free = concurrency - running.size;
  if (free <= 0) return;
  for (const ticket of await queue.take(free)) {
    const controller = new AbortController();
    const ended = runOne(database, queue, { ...options, ticket, signal: controller.signal });
    running.set(ticket.id, { ticket, controller, ended });
    void ended.finally(() => {
      running.delete(ticket.id);
      options.again();
    });
  }
}

interface RunOptions extends LookOptions {
  readonly ticket: Ticket;
  readonly signal: AbortSignal;
}

/** Without the last step the ticket stays, and goes to another worker when this one keeps silent about it. */
async function runOne(database: Database, queue: Queue, options: RunOptions): Promise<void> {
  const { engine, logger, ticket, signal } = options;
  const parts = { database, engine, logger, worker: options.process, now: options.now ?? Date.now };
  try {
    await nextTurn();
    await runTicket(ticket, parts, signal);
    await nextTurn();
    await queue.drop(ticket);
  } catch (error) {
    logger.log("error", `The job ${ticket.job} could not be run to its end; a worker takes it up again.`, { error: String(error) });
  }
}

/** Whoever lost a ticket, as after a long sleep, ends its call: another worker has the job, and what this one writes does not count. */
async function keepAlive(queue: Queue, running: ReadonlyMap<string, Running>, logger: Logger): Promise<void> {
  for (const { ticket, controller } of [...running.values()])
    await told(
      queue.keep(ticket).then((kept) => {
        if (!kept && running.has(ticket.id)) controller.abort("lost" satisfies StopReason);
      }),
      logger,
    );
}

/** Without an announcement some may have been missed, so the table is asked. */
async function cancelRunning(
  database: Database,
  running: ReadonlyMap<string, Running>,
  announcement: Announcement | undefined,
): Promise<void> {
  if (running.size === 0) return;
  const ids = announcement ? [announcement.id] : await readCancelled(database, [...running.values()]);
  for (const { ticket, controller } of running.values()) if (ids.includes(ticket.job)) controller.abort("cancelled" satisfies StopReason);
}

function readCancelled(database: Database, running: readonly Running[]): Promise<readonly string[]> {
  return database.asSystem(async (query) => {
    const rows = await query
      .selectFrom("toolwright.jobs")
      .select("job")
      .where(
        "ticket",
        "in",
        running.map(({ ticket }) => ticket.id),
      )
      .where("cancel_reason", "is not", null)
      .execute();
    return rows.map(({ job }) => job);
  });
}

async function told(work: Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.log("warn", "The worker could not reach its jobs; it tries again.", {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

const allEnded = (running: ReadonlyMap<string, Running>) => Promise.all([...running.values()].map(({ ended }) => ended));

async function withinTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
