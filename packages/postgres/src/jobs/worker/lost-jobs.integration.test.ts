import { randomUUID } from "node:crypto";
import type { CallResult } from "@toolwright/engine";
import { idempotencyKeyOf, type JobState, silentLogger } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRetention } from "../../retention/retention.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../../testing/index.ts";
import type { JobRow } from "../job-row.ts";
import { alice, createWorkbench, until, type Workbench } from "../jobs-workbench.ts";
import { beginJob } from "./begin-job.ts";
import { dispatchJobs } from "./dispatch-jobs.ts";
import { openQueue, type Queue, type Ticket } from "./open-queue.ts";
import { recoverJobs } from "./recover-jobs.ts";
import { settleJob } from "./settle-job.ts";

const doneResult = { status: "done", output: { text: "x" } } as unknown as CallResult;
const failed = { status: "failed", error: { code: "timeout", message: "It took too long." } } as unknown as CallResult;

describe.each(testDatabaseKinds)("jobs whose worker is gone, %s", (kind) => {
  let test: TestDatabase;
  let bench: Workbench;
  let queue: Queue;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    queue = await openQueue(test.database, silentLogger);
  });
  beforeEach(async () => {
    for (const table of ["toolwright.jobs", "toolwright.idempotency_keys"] as const)
      await test.database.asSystem((query) => query.deleteFrom(table).execute());
    await sql`delete from pgboss.job`.execute(test.database.owner);
    await suspend(null);
    bench = createWorkbench(test.database);
  });
  afterAll(async () => {
    await queue.close();
    await test.cleanup();
  });

  const take = async (): Promise<Ticket> => {
    await dispatchJobs(test.database, queue, { now: Date.now(), mostAtOnce: 4 });
    const [ticket] = await queue.take(1);
    if (!ticket) throw new Error("There was no ticket.");
    return ticket;
  };
  const begin = async (ticket: Ticket, worker: string, repeatable: boolean) => {
    const beginning = { worker, now: Date.now(), isOperator: () => true, isRepeatable: () => repeatable };
    const { start, ...begun } = await test.database.asSystem((query) => beginJob(query, ticket, beginning));
    return { ...begun, ...(start && { row: start.row }) };
  };
  const settle = (row: JobRow | undefined, result = doneResult) =>
    test.database.asTenant("acme", (query) => settleJob(query, row as JobRow, { result, stop: undefined, now: Date.now() }));
  const enqueue = (attempts = 3) => bench.jobs.enqueue(alice, { tool: "echo", input: { text: "x" }, retry: { attempts } });

  it("what a worker writes after another took its job does not count", async () => {
    const { id } = await enqueue();
    const ticket = await take();
    const first = await begin(ticket, "first", true);
    const second = await begin(ticket, "second", true);
    expect(second.row).toMatchObject({ attempts: 2, worker: "second" });
    for (const result of [doneResult, failed]) expect(await settle(first.row, result)).toEqual([]);
    expect(await bench.jobs.get(alice, id)).toMatchObject({ state: "running" });
    expect(await settle(second.row)).toEqual([id]);
    expect(await settle(second.row)).toEqual([]);
    expect(await bench.jobs.get(alice, id)).toMatchObject({ state: "done", attempts: 2 });
  });

  it.each<[string, boolean, number, JobState]>([
    ["runs again where that is harmless", true, 3, "running"],
    ["is unknown where it must not run twice", false, 3, "unknown"],
    ["fails when it ended its worker as often as it may be tried", true, 1, "failed"],
  ])("a job that was left in the middle %s", async (_, repeatable, attempts, state) => {
    const { id } = await enqueue(attempts);
    const ticket = await take();
    await begin(ticket, "first", repeatable);
    await begin(ticket, "second", repeatable);
    expect(await bench.jobs.get(alice, id)).toMatchObject({ state });
  });

  const cancelled = { status: "cancelled", reason: "The caller cancelled the call." } as unknown as CallResult;
  it.each<[string, CallResult | null, boolean, object]>([
    ["ends as its call did", doneResult, false, { state: "done", attempts: 1, result: { status: "done" } }],
    ["waits while its call has not ended", null, false, { state: "running", attempts: 1 }],
    ["is given back when its call was cut short with its worker", cancelled, true, { state: "queued", attempts: 1 }],
    ["is unknown when a call that must not run twice was cut short", cancelled, false, { state: "unknown", attempts: 1 }],
    ["is tried again when its call failed and may be", failed, true, { state: "queued", attempts: 1 }],
    ["is not when it may not be", failed, false, { state: "failed", attempts: 1 }],
  ])("a job that was left and whose call is on record %s (R-AU-4)", async (_, result, repeatable, expected) => {
    const { id } = await enqueue();
    const ticket = await take();
    const first = await begin(ticket, "first", repeatable);
    await test.database.asSystem(async (query) => {
      const key = idempotencyKeyOf(alice, `${id} ${first.row?.try}`);
      const call = { tenant: "acme", key, fingerprint: "f", call_id: "c", process: "first", expires_at: new Date(Date.now() + 60_000) };
      await query
        .insertInto("toolwright.idempotency_keys")
        .values({ ...call, result: result && JSON.stringify(result) })
        .execute();
    });
    const second = await begin(ticket, "second", repeatable);
    expect(second.row).toBeUndefined();
    expect(second.isUnderWay === true).toBe(result === null);
    expect(await bench.jobs.get(alice, id)).toMatchObject(expected);
  });

  const suspend = (at: Date | null) =>
    test.database.asSystem((query) =>
      query.updateTable("toolwright.tenants").set({ suspended_at: at }).where("tenant", "=", "acme").execute(),
    );
  it.each([
    ["that was handed out", false],
    ["that was left in the middle", true],
  ])("a job %s does not begin while its tenant is suspended, and does when it is resumed", async (_, isLeft) => {
    const { id } = await enqueue();
    const ticket = await take();
    if (isLeft) await begin(ticket, "first", true);
    await suspend(new Date());
    expect(await begin(ticket, "second", true)).toEqual({ changed: [id] });
    expect(await bench.jobs.get(alice, id)).toMatchObject({ state: "queued", attempts: isLeft ? 1 : 0 });
    await queue.drop(ticket);
    expect(await dispatchJobs(test.database, queue, { now: Date.now(), mostAtOnce: 4 })).toBe(0);
    await suspend(null);
    const { row } = await begin(await take(), "second", true);
    expect(row).toMatchObject({ job: id, state: "running", failures: isLeft ? 1 : 0 });
  });

  it("a job whose call turns out to run already waits under the same key, so that it is not called twice (R-AU-4)", async () => {
    const { id } = await enqueue();
    const { row } = await begin(await take(), "second", false);
    const inProgress = { status: "failed", error: { code: "idempotency_in_progress", message: "It runs." } } as unknown as CallResult;
    expect(await settle(row, inProgress)).toEqual([id]);
    const after = await test.database.asTenant("acme", (query) =>
      query.selectFrom("toolwright.jobs").select(["state", "try", "failures"]).where("job", "=", id).executeTakeFirst(),
    );
    expect(after).toEqual({ state: "queued", try: row?.try, failures: 0 });
  });

  it("a job that was left and cancelled meanwhile does not run again", async () => {
    const { id } = await enqueue();
    const ticket = await take();
    await begin(ticket, "first", true);
    expect(await bench.jobs.cancel(alice, id, "Enough.")).toMatchObject({ state: "running", isCancelling: true });
    expect(await begin(ticket, "second", true)).toEqual({ changed: [id] });
    expect(await bench.jobs.get(alice, id)).toMatchObject({ state: "cancelled", reason: "Enough.", attempts: 1 });
  });

  it("an old ticket starts nothing", async () => {
    const { id } = await enqueue();
    const ticket = await take();
    await bench.jobs.cancel(alice, id);
    expect(await begin(ticket, "late", true)).toEqual({ changed: [] });
    expect(await begin({ ...ticket, id: randomUUID() }, "late", true)).toEqual({ changed: [] });
  });

  it("is found when the queue forgot it, as after a backup was restored", async () => {
    const waiting = await enqueue();
    await take();
    const left = await enqueue();
    const once = await enqueue();
    for (const repeatable of [true, false]) await begin(await take(), "gone", repeatable);
    await sql`delete from pgboss.job`.execute(test.database.owner);
    expect(await recoverJobs(test.database, queue, { now: Date.now(), logger: silentLogger })).toBe(0);
    expect(await recoverJobs(test.database, queue, { now: Date.now() + 31_000, logger: silentLogger })).toBe(3);
    const worker = await bench.work();
    const states = async () =>
      Promise.all([waiting, left, once].map(async ({ id }) => (await bench.jobs.get(alice, id)).state)).then((all) => all.join());
    await until(states, (all) => all === "done,done,unknown" || all === "done,unknown,done");
    await worker.stop();
  });

  it("fails when the queue forgot it as often as it may be tried", async () => {
    const { id } = await enqueue(2);
    for (const [state, later] of [
      ["queued", 31_000],
      ["failed", 62_000],
    ] as const) {
      await begin(await take(), "gone", true);
      await sql`delete from pgboss.job`.execute(test.database.owner);
      expect(await recoverJobs(test.database, queue, { now: Date.now() + later, logger: silentLogger })).toBe(1);
      expect(await bench.jobs.get(alice, id)).toMatchObject({ state });
    }
  });

  it("is kept when it is a dead letter, and goes with time when it ended well", async () => {
    const [well, badly] = [await enqueue(), await enqueue()];
    const refused = { status: "failed", error: { code: "tool_failed", message: "no" } } as unknown as CallResult;
    for (const result of [doneResult, refused]) await settle((await begin(await take(), "first", true)).row, result);
    const keepMs = 60_000;
    const tidyIn = (ms: number) =>
      createRetention(test.database, { process: "p", periods: { overMs: keepMs }, clock: createManualClock(Date.now() + ms) }).tidy();
    expect(await tidyIn(0)).toEqual({});
    expect(await tidyIn(2 * keepMs)).toEqual({ jobs: 1 });
    const left = await bench.jobs.list(alice);
    expect(left).toMatchObject([{ state: "failed" }]);
    expect([well.id, badly.id]).toContain(left[0]?.id);
  });
});
