import { createRandomIds, type MissedRuns, type Schedules } from "@toolwright/engine";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { alice, createWorkbench, until } from "./jobs-workbench.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { createPostgresSchedules } from "./postgres-schedules.ts";
import { tickSchedules } from "./tick-schedules.ts";

const ids = createRandomIds();
const at = (text: string) => Date.parse(text);
const hourly = { name: "hourly", tool: "echo", input: { text: "tick" }, when: { cron: "0 * * * *", zone: "Europe/Berlin" } };

describe.each(testDatabaseKinds)("schedules, %s", (kind) => {
  let test: TestDatabase;
  let now = 0;
  let schedules: Schedules;
  const tick = (time: string) => {
    now = at(time);
    return tickSchedules(test.database, { ids, now });
  };
  const runs = async (schedule: string) => {
    const jobs = await createPostgresJobs(test.database, { ids, now: () => now }).list(alice, { schedule });
    return jobs.map(({ runAt }) => new Date(runAt).toISOString()).sort();
  };
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    schedules = createPostgresSchedules(test.database, { ids, now: () => now });
  });
  beforeEach(async () => {
    await test.database.asSystem((query) => query.deleteFrom("toolwright.schedules").execute());
    now = at("2026-10-24T22:30:00Z");
  });
  afterAll(() => test.cleanup());

  it("makes one job for each time, whoever looks and however often", async () => {
    const { id, nextAt } = await schedules.add(alice, hourly);
    expect(nextAt).toBe(at("2026-10-24T23:00:00Z"));
    expect(await tick("2026-10-24T22:59:59Z")).toBe(0);
    now = at("2026-10-24T23:00:01Z");
    const made = await Promise.all(Array.from({ length: 4 }, () => tickSchedules(test.database, { ids, now })));
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await tick("2026-10-24T23:00:30Z")).toBe(0);
    expect(await runs(id)).toEqual(["2026-10-24T23:00:00.000Z"]);
  });

  it("runs in both hours that autumn repeats, by a clock that is moved on", async () => {
    const { id } = await schedules.add(alice, hourly);
    for (const time of ["23:00:05", "23:30:00"]) await tick(`2026-10-24T${time}Z`);
    for (const hour of ["00", "01", "02", "03"]) await tick(`2026-10-25T${hour}:00:02Z`);
    expect(await runs(id)).toEqual(
      ["2026-10-24T23", "2026-10-25T00", "2026-10-25T01", "2026-10-25T02", "2026-10-25T03"].map((hour) => `${hour}:00:00.000Z`),
    );
  });

  it("runs once in the night that spring shortens", async () => {
    now = at("2027-03-27T12:00:00Z");
    const { id } = await schedules.add(alice, { ...hourly, name: "night", when: { cron: "30 2 * * *", zone: "Europe/Berlin" } });
    await tick("2027-03-28T01:30:01Z");
    await tick("2027-03-29T00:30:01Z");
    expect(await runs(id)).toEqual(["2027-03-28T01:30:00.000Z", "2027-03-29T00:30:00.000Z"]);
  });

  it.each<[string, MissedRuns, readonly string[], number]>([
    ["none of the missed ones", { rule: "skip" }, [], 5],
    ["the last of the missed ones", { rule: "once" }, ["03"], 4],
    ["all of the missed ones", { rule: "all", most: 100 }, ["23", "00", "01", "02", "03"], 0],
    ["the newest of the missed ones", { rule: "all", most: 2 }, ["02", "03"], 3],
  ])("runs %s after the workers were away", async (_, missed, hours, leftOut) => {
    const { id } = await schedules.add(alice, { ...hourly, missed });
    await tick("2026-10-25T03:20:00Z");
    const expected = hours.map((hour) => `2026-10-${hour === "23" ? "24" : "25"}T${hour}:00:00.000Z`);
    expect(await runs(id)).toEqual(expected);
    expect(await schedules.list(alice)).toMatchObject([{ leftOut, nextAt: at("2026-10-25T04:00:00Z") }]);
  });

  it("runs a single time once and is over", async () => {
    const { id } = await schedules.add(alice, { ...hourly, name: "one", when: { at: at("2026-10-25T08:00:00Z") } });
    await tick("2026-10-25T08:00:01Z");
    await tick("2026-10-25T09:00:01Z");
    expect(await runs(id)).toEqual(["2026-10-25T08:00:00.000Z"]);
    expect((await schedules.list(alice))[0]).not.toHaveProperty("nextAt");
    await expect(schedules.add(alice, { ...hourly, when: { at: 5 } })).rejects.toMatchObject({ code: "job_refused" });
  });

  it("does nothing while it is paused, and makes up for nothing", async () => {
    const { id } = await schedules.add(alice, { ...hourly, missed: { rule: "all", most: 9 } });
    expect(await schedules.pause(alice, "hourly", true)).toMatchObject({ isPaused: true });
    await tick("2026-10-25T02:20:00Z");
    await schedules.pause(alice, id, false);
    await tick("2026-10-25T03:00:01Z");
    expect(await runs(id)).toEqual(["2026-10-25T03:00:00.000Z"]);
  });

  it("is its maker's and its tenant's alone", async () => {
    const { id } = await schedules.add(alice, hourly);
    await expect(schedules.add(alice, hourly)).rejects.toMatchObject({ code: "job_refused" });
    for (const stranger of [
      { ...alice, tenant: "other", permissions: ["jobs:manage"] },
      { ...alice, actor: { kind: "user" as const, id: "bob" } },
    ]) {
      expect(await schedules.list(stranger)).toEqual([]);
      await expect(schedules.remove(stranger, id)).rejects.toMatchObject({ code: "job_not_found" });
      await expect(schedules.pause(stranger, "hourly", true)).rejects.toMatchObject({ code: "job_not_found" });
    }
    await schedules.remove(alice, "hourly");
    expect(await schedules.list(alice)).toEqual([]);
  });

  it("is kept by a worker, with the source schedule and nobody to ask", async () => {
    const bench = createWorkbench(test.database);
    now = Date.now();
    const { id } = await schedules.add(alice, { ...hourly, name: "soon", when: { at: now + 1_200 } });
    const worker = await bench.work();
    const [job] = await until(
      () => bench.jobs.list(alice, { schedule: id }),
      ([found]) => found?.state === "done",
    );
    await worker.stop();
    expect(job).toMatchObject({ schedule: id, result: { output: { text: "tick" } } });
  });
});
