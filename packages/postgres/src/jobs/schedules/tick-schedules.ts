import type { Logger } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type Ids, silentLogger } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../../database/database.ts";
import { isOutage } from "../../database/store-failure.ts";
import { enqueueJob } from "../enqueue-job.ts";
import { announceChanges } from "../postgres-jobs.ts";
import { scheduleKeys } from "../refuse-job.ts";
import { isKnownZone, passedTimes } from "./cron.ts";
import { pauseForGood } from "./pause-for-good.ts";
import type { ScheduleRow } from "./schedule-row.ts";

/** Milliseconds that a run may be late before it counts as missed. */
const lateMs = 60_000;
const mostAtOnce = 100;

interface TickOptions {
  readonly ids: Ids;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Hears of schedules whose run could not be made. Default: nobody. */
  readonly logger?: Logger;
  /** Time zones that were found unknown to this machine so far; more are added. */
  readonly unknownZones?: Set<string>;
}

/** Makes the jobs whose time has come. Safe from any number of workers: the schedule's row is held while its next time is moved on. */
export async function tickSchedules(database: Database, options: TickOptions): Promise<number> {
  const made = await database.asSystem(async (query) => {
    const due = await findDue(query, options);
    const jobs: { tenant: string; id: string }[] = [];
    for (const row of due) for (const id of await runOrRest(query, row, options)) jobs.push({ tenant: row.tenant, id });
    return jobs;
  });
  for (const [tenant, jobs] of Map.groupBy(made, (job) => job.tenant))
    announceChanges(
      database,
      tenant,
      jobs.map(({ id }) => id),
    );
  return made.length;
}

/**
 * Those of a zone that this machine does not know stay due and keep no other from its time: a machine that knows it makes their runs, and the rule
 * for missed ones holds for the time until then.
 */
async function findDue(query: Query, options: TickOptions): Promise<readonly ScheduleRow[]> {
  const { now, logger = silentLogger, unknownZones = new Set() } = options;
  const due = await query
    .selectFrom("toolwright.schedules as s")
    .innerJoin("toolwright.tenants as t", "t.tenant", "s.tenant")
    .selectAll("s")
    .where("s.next_at", "<=", new Date(now))
    .where("s.paused", "=", false)
    .where(sql<boolean>`s.zone <> all(${[...unknownZones]}::text[])`)
    .where("t.suspended_at", "is", null)
    .orderBy("s.next_at")
    .limit(mostAtOnce)
    .forUpdate("s")
    .skipLocked()
    .execute();
  const unknown = new Set(due.map(({ zone }) => zone).filter((zone) => !isKnownZone(zone)));
  for (const zone of unknown) {
    unknownZones.add(zone);
    logger.log(
      "warn",
      `Schedules in the time zone ${JSON.stringify(zone)} wait: this machine does not know it. Use a version of Node that does.`,
    );
  }
  return unknown.size > 0 ? findDue(query, { ...options, unknownZones }) : due;
}

/**
 * One that cannot be run keeps no other from its time: what it did is taken back, and it rests with the reason, or it would be the first to
 * fail at each look. A failure of the database itself ends the look for all.
 */
async function runOrRest(query: Query, row: ScheduleRow, options: TickOptions): Promise<readonly string[]> {
  const { logger = silentLogger } = options;
  await sql`savepoint one_schedule`.execute(query);
  try {
    const made = await runSchedule(query, row, options);
    await sql`release savepoint one_schedule`.execute(query);
    return made;
  } catch (error) {
    if (!isOwnFault(error)) throw error;
    await sql`rollback to savepoint one_schedule`.execute(query);
    const { tenant, schedule } = row;
    const why = error instanceof Error ? error.message : String(error);
    logger.log("warn", `The run of schedule ${schedule} of tenant ${tenant} could not be made; it is paused.`, { error: why });
    const reason = `Its run could not be made. ${why} Fix the cause and resume the schedule, or create it again.`;
    await pauseForGood(query, { tenant, schedule, reason });
    return [];
  }
}

/** True when the schedule says what is refused, or what PostgreSQL cannot take (classes 22 and 23 of SQLSTATE): that does not pass. */
function isOwnFault(error: unknown): boolean {
  if (ToolwrightError.is(error)) return error.code === "job_refused";
  const code = (error as { code?: unknown } | undefined)?.code;
  return !isOutage(error) && (code === undefined || /^2[23]/.test(String(code)));
}

async function runSchedule(query: Query, row: ScheduleRow, { ids, now }: TickOptions): Promise<readonly string[]> {
  const { times, leftOut, next } = chooseTimes(row, now);
  const made: string[] = [];
  for (const time of times) {
    const id = ids.next("job");
    const request = {
      tool: row.tool,
      input: row.input,
      ...(row.sealed !== null && { sealed: row.sealed }),
      ...(row.input_digest !== null && { inputDigest: row.input_digest }),
      ...(row.session !== null && { session: row.session }),
      retry: row.retry,
      runAt: time,
      // Beside the lock a second guard: one job for each time, whatever happens to the row.
      idempotencyKey: `${scheduleKeys}${row.schedule} ${new Date(time).toISOString()}`,
    };
    const { isNew } = await enqueueJob(query, { id, principal: row.principal, request, now, schedule: row.schedule });
    if (isNew) made.push(id);
  }
  await query
    .updateTable("toolwright.schedules")
    .set({
      next_at: next === undefined ? null : new Date(next),
      left_out: row.left_out + leftOut,
      ...(times.length > 0 && { last_at: new Date(times.at(-1) ?? now) }),
    })
    .where("tenant", "=", row.tenant)
    .where("schedule", "=", row.schedule)
    .execute();
  return made;
}

interface ChosenTimes {
  readonly times: readonly number[];
  readonly leftOut: number;
  readonly next?: number;
}

/** Which of the times that have come get a run: those on time always, missed ones as the schedule says. */
function chooseTimes(row: Pick<ScheduleRow, "cron" | "zone" | "missed" | "most_missed" | "next_at">, now: number): ChosenTimes {
  const first = row.next_at?.getTime() ?? now;
  const keep = row.missed === "all" ? row.most_missed : 1;
  const passed = row.cron === null ? { times: [first], more: 0 } : passedTimes({ line: row.cron, zone: row.zone }, { first, now, keep });
  const isOnTime = (time: number) => now - time <= lateMs;
  const times = row.missed === "skip" ? passed.times.filter(isOnTime) : passed.times;
  return { ...passed, times, leftOut: passed.times.length + passed.more - times.length };
}
