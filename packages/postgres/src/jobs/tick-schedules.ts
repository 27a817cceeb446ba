import type { Ids } from "@toolwright/engine";
import type { Database, Query } from "../database/database.ts";
import { passedTimes } from "./cron.ts";
import { enqueueJob } from "./enqueue-job.ts";
import { announceChanges } from "./postgres-jobs.ts";
import type { ScheduleRow } from "./schedule-row.ts";

/** Milliseconds that a run may be late before it counts as missed. */
const lateMs = 60_000;
const mostAtOnce = 100;

/** Makes the jobs whose time has come. Safe from any number of workers: the schedule's row is held while its next time is moved on. */
export async function tickSchedules(database: Database, { ids, now }: { readonly ids: Ids; readonly now: number }): Promise<number> {
  const made = await database.asSystem(async (query) => {
    const due = await query
      .selectFrom("toolwright.schedules as s")
      .innerJoin("toolwright.tenants as t", "t.tenant", "s.tenant")
      .selectAll("s")
      .where("s.next_at", "<=", new Date(now))
      .where("s.paused", "=", false)
      .where("t.suspended_at", "is", null)
      .orderBy("s.next_at")
      .limit(mostAtOnce)
      .forUpdate("s")
      .skipLocked()
      .execute();
    const jobs: { tenant: string; id: string }[] = [];
    for (const row of due) for (const id of await runSchedule(query, row, { ids, now })) jobs.push({ tenant: row.tenant, id });
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

async function runSchedule(
  query: Query,
  row: ScheduleRow,
  { ids, now }: { readonly ids: Ids; readonly now: number },
): Promise<readonly string[]> {
  const { times, leftOut, next } = chooseTimes(row, now);
  const made: string[] = [];
  for (const time of times) {
    const id = ids.next("job");
    const request = {
      tool: row.tool,
      input: row.input,
      ...(row.session !== null && { session: row.session }),
      retry: row.retry,
      runAt: time,
      // Beside the lock a second guard: one job for each time, whatever happens to the row.
      idempotencyKey: `${row.schedule} ${new Date(time).toISOString()}`,
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
export function chooseTimes(row: Pick<ScheduleRow, "cron" | "zone" | "missed" | "most_missed" | "next_at">, now: number): ChosenTimes {
  const first = row.next_at?.getTime() ?? now;
  const keep = row.missed === "all" ? row.most_missed : 1;
  const passed = row.cron === null ? { times: [first], more: 0 } : passedTimes({ line: row.cron, zone: row.zone }, { first, now, keep });
  const isOnTime = (time: number) => now - time <= lateMs;
  const times = row.missed === "skip" ? passed.times.filter(isOnTime) : passed.times;
  return { ...passed, times, leftOut: passed.times.length + passed.more - times.length };
}
