import { setImmediate as nextTurn } from "node:timers/promises";
import type { Engine, Logger, Principal } from "@toolwright/engine";
import { type Clock, every, type Ids, pause, systemClock } from "@toolwright/engine/ports";
import type { Announcement, Database } from "../../database/database.ts";
import { cancelTopic, workTopic } from "../postgres-jobs.ts";
import { tickSchedules } from "../schedules/tick-schedules.ts";
import { dispatchJobs } from "./dispatch-jobs.ts";
import { openQueue, type Queue, type Ticket } from "./open-queue.ts";
import { recoverJobs } from "./recover-jobs.ts";
import { createResumeCalls } from "./resume-calls.ts";
import { runTicket } from "./run-ticket.ts";
import type { StopReason } from "./settle-job.ts";

export interface WorkerOptions {
  /** Its idempotency keys and events are in this database: by them a worker knows how a call ended that another one began. */
  readonly engine: Engine;
  readonly logger: Logger;
  readonly ids: Ids;
  /** Name of this process, unique among all. */
  readonly process: string;
  /** Jobs that it runs at once. Default 8. */
  readonly concurrency?: number;
  /** Jobs of one tenant that all workers run at once, where the tenant has no limit of its own. Default 4. */
  readonly tenantConcurrency?: number;
  /**
   * True for whoever runs this installation and is no member of it: what they made runs with the rights that it was made with. Default:
   * nobody. The rights of all others are looked up at each run.
   */
  readonly isOperator?: (principal: Principal) => boolean;
  readonly clock?: Clock;
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
/** Milliseconds that calls have to end after they were told to. */
const endMs = 6_000;

interface Running {
  readonly ticket: Ticket;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** Runs jobs until it is stopped; any number of workers share the work. */
export async function startWorker(database: Database, options: WorkerOptions): Promise<Worker> {
  const { engine, logger, clock = systemClock, concurrency = 8 } = options;
  const resume = createResumeCalls(engine, logger, { mostAtOnce: concurrency });
  const queue = await openQueue(database, logger);
  const running = new Set<Running>();
  let isStopping = false;
  const look = createLook(database, queue, {
    ...options,
    running,
    unknownZones: new Set(),
    isStopping: () => isStopping,
    again: () => look(),
  });
  const timers = [
    every(lookMs, clock, look),
    every(lookMs, clock, resume),
    every(aliveMs, clock, () => void keepAlive(queue, running, { database, logger, process: options.process })),
    every(recoverMs, clock, () => void report(recoverJobs(database, queue, { now: clock.now(), logger }), logger)),
  ];
  const stopListening = [
    database.listen(workTopic, () => look()),
    database.listen("approvals", () => resume()),
    database.listen(cancelTopic, (announcement) => void report(cancelRunning(database, running, announcement), logger)),
  ];
  look();
  resume();
  return {
    get running() {
      return running.size;
    },
    async stop(graceMs = 10_000) {
      isStopping = true;
      for (const stopOne of stopListening) stopOne();
      await look.settle();
      await withinTime(Promise.all([allEnded(running), resume.settle()]), graceMs, clock);
      for (const { controller } of running) controller.abort("stopping" satisfies StopReason);
      await withinTime(allEnded(running), endMs, clock);
      for (const stopTimer of timers) stopTimer();
      await queue.close();
    },
  };
}

interface LookOptions extends WorkerOptions {
  readonly running: Set<Running>;
  /** What this machine does not know is looked up and told once. */
  readonly unknownZones: Set<string>;
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
    await report(takeWork(database, queue, options), options.logger);
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
  const { ids, logger, running, unknownZones, concurrency = 8, tenantConcurrency = 4 } = options;
  const now = (options.clock ?? systemClock).now();
  // Jobs that are there wait for no schedule.
  await report(tickSchedules(database, { ids, now, logger, unknownZones }), logger);
  await dispatchJobs(database, queue, { now, mostAtOnce: tenantConcurrency });
  const free = concurrency - running.size;
  if (free <= 0) return;
  for (const ticket of await queue.take(free)) {
    const controller = new AbortController();
    const ended = runOne(database, queue, { ...options, ticket, signal: controller.signal });
    const one = { ticket, controller, ended };
    running.add(one);
    void ended.finally(() => {
      running.delete(one);
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
  const { isOperator = () => false, clock = systemClock } = options;
  const parts = { database, engine, logger, isOperator, worker: options.process, clock };
  try {
    await nextTurn();
    await runTicket(ticket, parts, signal);
    await nextTurn();
    await queue.drop(ticket);
  } catch (error) {
    if (signal.aborted) return;
    logger.log("error", `The job ${ticket.job} could not be run to its end; a worker takes it up again.`, { error: String(error) });
  }
}

/**
 * Whoever lost a ticket, as after a long sleep, goes on while the job is still as it began it: the worker that has the ticket waits for the
 * call. When another one began it anew, or it is over, its call ends, and what it writes does not count.
 */
async function keepAlive(queue: Queue, running: ReadonlySet<Running>, options: Keeping): Promise<void> {
  for (const one of [...running])
    await report(
      queue.keep(one.ticket).then(async (kept) => {
        if (!kept && !(await isStillOurs(one.ticket, options)) && running.has(one)) one.controller.abort("lost" satisfies StopReason);
      }),
      options.logger,
    );
}

interface Keeping extends Pick<WorkerOptions, "logger" | "process"> {
  readonly database: Database;
}

function isStillOurs({ tenant, job, id }: Ticket, { database, process }: Keeping): Promise<boolean> {
  return database.asTenant(tenant, async (query) => {
    const row = await query
      .selectFrom("toolwright.jobs")
      .select("job")
      .where("tenant", "=", tenant)
      .where("job", "=", job)
      .where("ticket", "=", id)
      .where("state", "=", "running")
      .where("worker", "=", process)
      .executeTakeFirst();
    return row !== undefined;
  });
}

/** Without an announcement some may have been missed, so the table is asked. */
async function cancelRunning(database: Database, running: ReadonlySet<Running>, announcement: Announcement | undefined): Promise<void> {
  if (running.size === 0) return;
  const ids = announcement ? [announcement.id] : await readCancelled(database, [...running]);
  for (const { ticket, controller } of running) if (ids.includes(ticket.job)) controller.abort("cancelled" satisfies StopReason);
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

async function report(work: Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await work;
  } catch (error) {
    logger.log("warn", "The worker could not reach its jobs; it tries again.", {
      error: error instanceof Error ? error.message : String(error),
    });
  }
}

const allEnded = (running: ReadonlySet<Running>) => Promise.all([...running].map(({ ended }) => ended));

async function withinTime(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, pause(ms, clock, over.signal)]);
  over.abort();
}
