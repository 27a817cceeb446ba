import { createRandomIds } from "@toolwright/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { alice, createWorkbench, until } from "./jobs-workbench.ts";
import { createPostgresSchedules } from "./postgres-schedules.ts";

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
});
