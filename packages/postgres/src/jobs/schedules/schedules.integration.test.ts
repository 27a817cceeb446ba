import type { Principal } from "@toolwright/engine";
import { createRandomIds, type JobRecord, systemClock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../../events/postgres-event-log.ts";
import { examineStore } from "../../maintenance/examine-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../../testing/index.ts";
import { alice, createWorkbench, until, type Workbench } from "../jobs-workbench.ts";
import { createPostgresSchedules } from "./postgres-schedules.ts";
import { tickSchedules } from "./tick-schedules.ts";

describe.each(testDatabaseKinds)("a schedule and a worker, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("make a call at its time, which the log has as that of a schedule", async () => {
    const events = createPostgresEventLog(test.database, "w1");
    const bench = createWorkbench(test.database, { events });
    const schedules = createPostgresSchedules(test.database, { ids: createRandomIds(), now: Date.now });
    const when = { at: Date.now() + 1_200 };
    const { id } = await schedules.add(alice, { name: "soon", tool: "echo", input: { text: "tick" }, session: "s1", when });
    const worker = await bench.work();
    const [job] = await until(
      () => bench.jobs.list(alice, { schedule: id }),
      ([found]) => found?.state === "done",
    );
    await worker.stop();
    expect(job).toMatchObject({ schedule: id, result: { output: { text: "tick" } } });
    const stored = await events.read({ tenant: "acme", session: "s1" });
    expect(new Set(stored.map(({ event }) => event.source))).toEqual(new Set(["schedule"]));
  });

  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  /** A schedule of somebody's that is due by the clock of the worker that is started with it: once, whenever in a minute the test runs. */
  const addDue = async (bench: Workbench, principal: Principal, name: string) => {
    const schedules = createPostgresSchedules(test.database, { ids: createRandomIds(), now: () => minute });
    const schedule = await schedules.add(principal, { name, tool: "echo", input: { text: name }, when: { cron: "* * * * *" } });
    const time = new Date(schedule.nextAt ?? 0).toISOString();
    const work = () => {
      const startedAt = systemClock.monotonic();
      return bench.work({ clock: { ...systemClock, now: () => minute + 61_000 + systemClock.monotonic() - startedAt } });
    };
    return { id: schedule.id, time, work, find: async () => (await schedules.list(principal)).find(({ id }) => id === schedule.id) };
  };
  const mallory: Principal = { ...alice, actor: { kind: "user", id: "mallory" } };
  const victim: Principal = { ...alice, tenant: "other", actor: { kind: "user", id: "victim" } };
  const isDone = ([job]: readonly JobRecord[]) => job?.state === "done";

  it("make the job of its time, whatever keys its maker used before, and no caller has a key of a schedule's", async () => {
    const bench = createWorkbench(test.database);
    const { id, time, work } = await addDue(bench, mallory, "guessed");
    const other = { tool: "echo", input: { text: "other" } };
    await bench.jobs.enqueue(mallory, { ...other, idempotencyKey: `${id} ${time}` });
    const key = `toolwright schedule ${id} ${time}`;
    await expect(bench.jobs.enqueue(mallory, { ...other, idempotencyKey: key })).rejects.toMatchObject({ code: "job_refused" });
    const worker = await work();
    await until(() => bench.jobs.list(mallory, { schedule: id }), isDone);
    await worker.stop();
  });

  it("stop nothing else when the run of one cannot be made: that one rests and says why", async () => {
    const bench = createWorkbench(test.database);
    const bad = await addDue(bench, mallory, "bad");
    const good = await addDue(bench, victim, "good");
    const { id } = await bench.jobs.enqueue(mallory, { tool: "echo", input: { text: "other" } });
    await test.database.asTenant("acme", (query) =>
      query
        .updateTable("toolwright.jobs")
        .set({ idempotency_key: `toolwright schedule ${bad.id} ${bad.time}` })
        .where("job", "=", id)
        .execute(),
    );
    const worker = await bad.work();
    await until(() => bench.jobs.list(victim, { schedule: good.id }), isDone);
    await worker.stop();
    expect(await bench.jobs.list(mallory, { schedule: bad.id })).toEqual([]);
    expect(await bad.find()).toMatchObject({ isPaused: true, pauseReason: expect.stringMatching(/idempotency key was used before/) });
  });

  it("make nothing for a tenant that is suspended, and count its time as missed when it is resumed", async () => {
    const suspend = (at: Date | null) =>
      test.database.asSystem((query) =>
        query.updateTable("toolwright.tenants").set({ suspended_at: at }).where("tenant", "=", "acme").execute(),
      );
    const bench = createWorkbench(test.database);
    const { id, find } = await addDue(bench, mallory, "resting");
    const ids = createRandomIds();
    const tickIn = (minutes: number) => tickSchedules(test.database, { ids, now: Date.now() + minutes * 60_000 });
    await suspend(new Date());
    await tickIn(1);
    await tickIn(3);
    expect(await bench.jobs.list(mallory, { schedule: id })).toEqual([]);
    await suspend(null);
    await tickIn(5);
    expect(await bench.jobs.list(mallory, { schedule: id })).toHaveLength(1);
    expect((await find())?.leftOut).toBeGreaterThanOrEqual(3);
  });

  it("make nothing in a time zone that this machine does not know, say so, and go on where it is known", async () => {
    const bench = createWorkbench(test.database);
    const lost = await addDue(bench, mallory, "lost zone");
    const inZone = (zone: string) =>
      test.database.asSystem((query) => query.updateTable("toolwright.schedules").set({ zone }).where("schedule", "=", lost.id).execute());
    await inZone("Europe/Atlantis");
    const good = await addDue(bench, victim, "known zone");
    const said: string[] = [];
    const options = {
      ids: createRandomIds(),
      logger: { log: (_level: unknown, message: string) => void said.push(message) },
      unknownZones: new Set<string>(),
    };
    const tickIn = (minutes: number) => tickSchedules(test.database, { ...options, now: minute + minutes * 60_000 });
    for (const minutes of [2, 4]) await tickIn(minutes);
    expect(await bench.jobs.list(mallory, { schedule: lost.id })).toEqual([]);
    expect(await bench.jobs.list(victim, { schedule: good.id })).not.toEqual([]);
    expect(said).toEqual([expect.stringContaining('"Europe/Atlantis" wait')]);
    expect(await lost.find()).toMatchObject({ isPaused: false, waitReason: expect.stringMatching(/does not know .*Europe\/Atlantis/) });
    expect((await examineStore(test.database)).unknownZones).toEqual(["Europe/Atlantis"]);

    const schedules = createPostgresSchedules(test.database, { ids: options.ids, now: () => minute });
    expect(await schedules.pause(mallory, lost.id, true)).not.toHaveProperty("waitReason");
    const resumed = schedules.pause(mallory, lost.id, false);
    await expect(resumed).rejects.toMatchObject({ code: "job_refused", message: expect.stringContaining("Europe/Atlantis") });
    await inZone("Europe/Berlin");
    await schedules.pause(mallory, lost.id, false);
    await inZone("Europe/Atlantis");
    await tickIn(5);
    expect(await bench.jobs.list(mallory, { schedule: lost.id })).toEqual([]);

    await inZone("Europe/Berlin");
    await tickIn(7);
    expect(await bench.jobs.list(mallory, { schedule: lost.id })).toHaveLength(1);
    const found = await lost.find();
    expect(found).toMatchObject({ isPaused: false, leftOut: expect.any(Number), nextAt: minute + 8 * 60_000 });
    expect(found).not.toHaveProperty("waitReason");
    expect(found?.leftOut).toBeGreaterThan(3);
  });

  it("leave the jobs that are there to the worker when no schedule can be looked at", async () => {
    const bench = createWorkbench(test.database);
    await sql`alter table toolwright.schedules rename to schedules_away`.execute(test.database.owner);
    const { id } = await bench.jobs.enqueue(victim, { tool: "echo", input: { text: "there" } });
    const worker = await bench.work();
    await until(
      () => bench.jobs.get(victim, id),
      ({ state }) => state === "done",
    );
    await worker.stop();
    await sql`alter table toolwright.schedules_away rename to schedules`.execute(test.database.owner);
  });
});
