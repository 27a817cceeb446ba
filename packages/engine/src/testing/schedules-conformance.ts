import assert from "node:assert/strict";
import { digest } from "../contract/digest.ts";
import type { MissedRuns, ScheduleRecord, ScheduleRequest } from "../ports/jobs.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { isRefused } from "./jobs-conformance.ts";
import { ann, createJobsProbe, type JobsFixture, type OpenJobs, strangers, untilOver } from "./jobs-probe.ts";

const at = (time: string) => Date.parse(time);
const hourly: ScheduleRequest = {
  name: "hourly",
  tool: "echo",
  input: { text: "tick" },
  when: { cron: "0 * * * *", zone: "Europe/Berlin" },
};

interface Bench extends JobsFixture {
  /** Sets the clock, and makes the jobs whose time has come. */
  tickAt(time: string): Promise<number>;
  /** The times of the jobs that a schedule made, oldest first. */
  runsOf(schedule: ScheduleRecord): Promise<readonly string[]>;
}

/** What every store of schedules must do, by a clock that is moved on: in the night when autumn repeats an hour in Berlin. */
export function schedulesConformance(open: OpenJobs): readonly ConformanceCase[] {
  const withSchedules = (name: string, check: (bench: Bench) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      let now = at("2026-10-24T22:30:00Z");
      const place = await open(() => now);
      const tickAt = (time: string) => {
        now = at(time);
        return place.tick(now);
      };
      const runsOf = async ({ id, principal }: ScheduleRecord) =>
        (await place.jobs.list(principal, { schedule: id })).map(({ runAt }) => new Date(runAt).toISOString().slice(0, 16)).sort();
      try {
        await check({ ...place, tickAt, runsOf });
      } finally {
        await place.cleanup();
      }
    },
  });
  const missedCase = (what: string, { missed, runs, leftOut }: MissedCase) =>
    withSchedules(`runs ${what} after the workers were away`, async ({ schedules, tickAt, runsOf }) => {
      const schedule = await schedules.add(ann, { ...hourly, missed });
      await tickAt("2026-10-25T03:20:00Z");
      assert.deepEqual(await runsOf(schedule), runs);
      const [found] = await schedules.list(ann);
      assert.deepEqual([found?.leftOut, found?.nextAt], [leftOut, at("2026-10-25T04:00:00Z")]);
    });
  return [
    withSchedules("makes one job for each time, whoever looks and however often", async ({ schedules, tick, tickAt, runsOf }) => {
      const schedule = await schedules.add(ann, hourly);
      assert.equal(schedule.nextAt, at("2026-10-24T23:00:00Z"));
      assert.equal(await tickAt("2026-10-24T22:59:59Z"), 0);
      const due = at("2026-10-24T23:00:01Z");
      const made = await Promise.all(Array.from({ length: 4 }, () => tick(due)));
      assert.equal(
        made.reduce((sum, count) => sum + count, 0),
        1,
      );
      assert.deepEqual(await runsOf(schedule), ["2026-10-24T23:00"]);
    }),
    withSchedules("runs in both hours that a time zone repeats", async ({ schedules, tickAt, runsOf }) => {
      const schedule = await schedules.add(ann, hourly);
      for (const time of ["24T23:00", "25T00:00", "25T01:00", "25T02:00"]) await tickAt(`2026-10-${time}:05Z`);
      assert.deepEqual(await runsOf(schedule), ["2026-10-24T23:00", "2026-10-25T00:00", "2026-10-25T01:00", "2026-10-25T02:00"]);
    }),
    withSchedules("runs once in the night that a time zone shortens, as long after the gap", async ({ schedules, tickAt, runsOf }) => {
      await tickAt("2027-03-27T12:00:00Z");
      const schedule = await schedules.add(ann, { ...hourly, when: { cron: "30 2 * * *", zone: "Europe/Berlin" } });
      for (const time of ["28T01:30", "29T00:30"]) await tickAt(`2027-03-${time}:01Z`);
      assert.deepEqual(await runsOf(schedule), ["2027-03-28T01:30", "2027-03-29T00:30"]);
    }),
    missedCase("none of the missed times", { missed: { rule: "skip" }, runs: [], leftOut: 5 }),
    missedCase("the last of the missed times", { missed: { rule: "once" }, runs: ["2026-10-25T03:00"], leftOut: 4 }),
    missedCase("the newest of the missed times", {
      missed: { rule: "all", most: 2 },
      runs: ["2026-10-25T02:00", "2026-10-25T03:00"],
      leftOut: 3,
    }),
    withSchedules("runs a single time once and is over", async ({ schedules, tickAt, runsOf }) => {
      const schedule = await schedules.add(ann, { ...hourly, when: { at: at("2026-10-25T08:00:00Z") } });
      for (const hour of ["08", "09"]) await tickAt(`2026-10-25T${hour}:00:01Z`);
      assert.deepEqual(await runsOf(schedule), ["2026-10-25T08:00"]);
      assert.equal((await schedules.list(ann))[0]?.nextAt, undefined);
      await assert.rejects(schedules.add(ann, { ...hourly, name: "past", when: { at: 5 } }), isRefused("job_refused"));
    }),
    withSchedules("does nothing while it is paused, and makes up for nothing", async ({ schedules, tickAt, runsOf }) => {
      const schedule = await schedules.add(ann, { ...hourly, missed: { rule: "all", most: 9 } });
      assert.equal((await schedules.pause(ann, "hourly", true)).isPaused, true);
      await tickAt("2026-10-25T02:20:00Z");
      assert.equal((await schedules.pause(ann, schedule.id, false)).isPaused, false);
      await tickAt("2026-10-25T03:00:01Z");
      assert.deepEqual(await runsOf(schedule), ["2026-10-25T03:00"]);
    }),
    withSchedules("is its maker's and its tenant's alone (R-TN-3)", async ({ schedules }) => {
      const { id } = await schedules.add(ann, hourly);
      await assert.rejects(schedules.add(ann, hourly), isRefused("job_refused"));
      for (const stranger of strangers) {
        assert.deepEqual(await schedules.list(stranger), []);
        await assert.rejects(schedules.remove(stranger, id), isRefused("job_not_found"));
        await assert.rejects(schedules.pause(stranger, "hourly", true), isRefused("job_not_found"));
      }
      await schedules.remove(ann, "hourly");
      assert.deepEqual(await schedules.list(ann), []);
    }),
    withSchedules("denies what would ask and says why, unless a grant was given when it was made", async (bench) => {
      const { jobs, schedules, tickAt, work } = bench;
      const { engine } = createJobsProbe();
      const input = { text: "may I" };
      const add = (name: string) => schedules.add(ann, { ...hourly, name, tool: "asking", input, session: name });
      const made = [await add("without"), await add("with")];
      const scope = engine.scope({ ...ann, interactive: true }, { session: "with" });
      await scope.grant({ tool: "asking", allows: [{ kind: "input", digest: digest(input) }], scope: "session" });
      await tickAt("2026-10-24T23:00:01Z");
      await work(engine);
      const found = await Promise.all(made.map(({ id }) => jobs.list(ann, { schedule: id })));
      const [without, granted] = await Promise.all(found.flat().map((job) => untilOver(jobs, job)));
      assert.deepEqual([without?.state, granted?.state], ["denied", "done"]);
      assert.match(without?.reason ?? "", /no person|nobody|without a person|unattended/i);
      // Asked each time, and denied each time: that is no reason to let it rest.
      assert.deepEqual(
        (await schedules.list(ann)).map(({ isPaused }) => isPaused),
        [false, false],
      );
    }),
  ];
}

interface MissedCase {
  readonly missed: MissedRuns;
  /** To the minute, of UTC. */
  readonly runs: readonly string[];
  readonly leftOut: number;
}
