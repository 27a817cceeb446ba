import type { JobRecord } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { countWaiting } from "../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { endJob } from "./end-job.ts";
import { enqueueJob } from "./enqueue-job.ts";
import { alice, createWorkbench, until, type Workbench } from "./jobs-workbench.ts";
import type { Worker } from "./worker/start-worker.ts";

describe.each(testDatabaseKinds)("jobs, %s", (kind) => {
  let test: TestDatabase;
  let bench: Workbench;
  const workers: Worker[] = [];
  beforeEach(async () => {
    test = await openTestDatabase(kind);
    bench = createWorkbench(test.database);
  });
  afterEach(async () => {
    bench.release();
    await Promise.all(workers.splice(0).map((worker) => worker.stop(2_000)));
    await test.cleanup();
  });
  const work = async (options: Parameters<Workbench["work"]>[0] = {}) => workers.push(await bench.work(options));
  const ended = ({ id }: Pick<JobRecord, "id">, principal = alice) =>
    until(
      () => bench.jobs.get(principal, id),
      ({ state }) => !["blocked", "queued", "running"].includes(state),
    );
  const running = ({ id }: JobRecord) =>
    until(
      () => bench.jobs.get(alice, id),
      ({ state }) => state === "running",
    );

  it("lets a small tenant past one with a thousand jobs", async () => {
    const bob = { ...alice, tenant: "other" };
    await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "big" } });
    await test.database.asTenant("acme", (query) =>
      sql`insert into toolwright.jobs (tenant, job, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at)
        select tenant, job || n, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at
        from toolwright.jobs cross join generate_series(1, 999) as n`.execute(query),
    );
    await work({ concurrency: 2, tenantConcurrency: 4 });
    await until(
      () => bench.done.length,
      (count) => count > 5,
    );
    const small = await bench.jobs.enqueue(bob, { tool: "echo", input: { text: "small" } });
    const before = bench.done.length;
    await until(
      () => bench.done.indexOf("small"),
      (place) => place >= 0,
    );
    expect(bench.done.indexOf("small") - before).toBeLessThanOrEqual(8);
    expect(bench.done.length).toBeLessThan(500);
    expect(await ended(small, bob)).toMatchObject({ state: "done" });
  });

  it("runs of one tenant no more at once than it may, over all workers, and others beside it", async () => {
    await work({ concurrency: 6, tenantConcurrency: 2 });
    await work({ concurrency: 6, tenantConcurrency: 2, process: "w2" });
    for (let n = 0; n < 6; n += 1) await bench.jobs.enqueue(alice, { tool: "held", input: { text: "big" } });
    const bob = { ...alice, tenant: "other" };
    for (let n = 0; n < 4; n += 1) await ended(await bench.jobs.enqueue(bob, { tool: "echo", input: { text: "small" } }), bob);
    const count = async () => (await bench.jobs.list(alice, { states: ["running"] })).length;
    expect(await until(count, (running) => running >= 2)).toBe(2);
    await test.database.asSystem((query) =>
      query.insertInto("toolwright.job_limits").values({ tenant: "acme", most_at_once: 5 }).execute(),
    );
    expect(await until(count, (running) => running >= 5)).toBe(5);
    bench.release();
    await until(
      () => bench.jobs.list(alice, { states: ["done"] }),
      ({ length }) => length === 6,
    );
  });

  it("hands back what can run twice when its worker stops, and says unknown of what cannot", async () => {
    await work();
    const again = await running(await bench.jobs.enqueue(alice, { tool: "held", input: { text: "again" } }));
    const once = await running(await bench.jobs.enqueue(alice, { tool: "held_once", input: { text: "once" } }));
    const startedAt = Date.now();
    await workers.splice(0)[0]?.stop(100);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    expect(await bench.jobs.get(alice, again.id)).toMatchObject({ state: "queued", attempts: 1 });
    expect(await bench.jobs.get(alice, once.id)).toMatchObject({ state: "unknown" });
    await expect(bench.jobs.redrive(alice, once.id)).rejects.toMatchObject({ code: "job_refused" });
    bench.release();
    await work();
    expect(await ended(again)).toMatchObject({ state: "done", attempts: 2 });
    await bench.jobs.redrive(alice, once.id, { mayRepeat: true });
    expect(await ended(once)).toMatchObject({ state: "done" });
  });

  it("ends as others do what failed or was cancelled with a text that PostgreSQL cannot hold", async () => {
    await work();
    const failed = await bench.jobs.enqueue(alice, { tool: "refuse", input: { text: "\0" } });
    expect(await ended(failed)).toMatchObject({ state: "failed", reason: expect.stringContaining("\uFFFD") });
    const waiting = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "later" }, runAt: Date.now() + 3_600_000 });
    expect(await bench.jobs.cancel(alice, waiting.id, "no\0")).toMatchObject({ state: "cancelled", reason: "no\uFFFD" });
    const cut = await running(await bench.jobs.enqueue(alice, { tool: "held", input: { text: "cut" } }));
    await bench.jobs.cancel(alice, cut.id, "stop\0");
    expect(await ended(cut)).toMatchObject({ state: "cancelled", reason: "stop\uFFFD" });
    const ofAgent = await bench.jobs.enqueue({ ...alice, agent: "a\0" }, { tool: "echo", input: { text: "agent" } });
    expect(await ended(ofAgent)).toMatchObject({ state: "done" });
  });

  it("gives a job that has failed all its tries again when it is given another, and logs each failure", async () => {
    const said: string[] = [];
    await work({ logger: { log: (_, message) => void said.push(message) } });
    const job = await bench.jobs.enqueue(alice, { tool: "parse", input: { text: "no JSON" }, retry: { attempts: 2, delayMs: 0 } });
    expect(await ended(job)).toMatchObject({ state: "failed", attempts: 2 });
    const about = `The job ${job.id} \\(parse\\)`;
    const expected = [`${about} runs again from .*Z on: Run 1 of 2 failed: `, `${about} ended as failed: `];
    await until(
      async () => said.length,
      (count) => count === expected.length,
    );
    for (const [index, words] of expected.entries()) expect(said[index]).toMatch(new RegExp(words));
    await bench.jobs.redrive(alice, job.id);
    expect(await ended(job)).toMatchObject({ state: "failed", attempts: 4 });
  });

  it("tries a job again when its time has come by the clock, and not before", async () => {
    const retry = { attempts: 2, delayMs: 60_000, mostDelayMs: 60_000 };
    const job = await bench.jobs.enqueue(alice, { tool: "parse", input: { text: "no JSON" }, retry });
    const clock = createManualClock(Date.now());
    await work({ clock });
    const read = () => bench.jobs.get(alice, job.id);
    await until(read, ({ state, attempts }) => state === "queued" && attempts === 1);
    await clock.advance(20_000);
    expect(await read()).toMatchObject({ state: "queued", attempts: 1 });
    await clock.advance(60_000);
    expect(await ended(job)).toMatchObject({ state: "failed", attempts: 2 });
  });

  it.runIf(kind === "server")("lets a job go whose parent ends while it is made", async () => {
    const parent = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "parent" } });
    const request = { tool: "echo", input: { text: "child" }, dependsOn: [parent.id] };
    const { ending } = await test.database.asTenant("acme", async (query) => {
      await enqueueJob(query, { id: "job_child", principal: alice, request, now: Date.now() });
      let isOver = false;
      const ending = test.database
        .asTenant("acme", (other) => endJob(other, { tenant: "acme", job: parent.id }, { state: "done", at: Date.now() }))
        .finally(() => {
          isOver = true;
        });
      await until(async () => isOver || (await countWaiting(test.database.owner)) > 0, Boolean);
      return { ending };
    });
    await ending;
    expect(await bench.jobs.get(alice, "job_child")).toMatchObject({ state: "queued" });
  });

  it("has no job by an id that PostgreSQL cannot hold", async () => {
    const { jobs } = bench;
    const child = { tool: "echo", input: { text: "x" }, dependsOn: ["job_\0"] };
    for (const ask of [
      () => jobs.get(alice, "\0"),
      () => jobs.cancel(alice, "\0"),
      () => jobs.redrive(alice, "\0"),
      () => jobs.enqueue(alice, child),
    ])
      await expect(ask()).rejects.toMatchObject({ code: "job_not_found" });
    for (const filter of [{ tool: "\0" }, { schedule: "\0" }]) expect(await jobs.list(alice, filter)).toEqual([]);
  });

  it("keeps nothing back for a tenant that is suspended", async () => {
    await test.database.asSystem((query) =>
      query.updateTable("toolwright.tenants").set({ suspended_at: new Date() }).where("tenant", "=", "acme").execute(),
    );
    const job = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "never" } });
    const bob = { ...alice, tenant: "other" };
    await work();
    await ended(await bench.jobs.enqueue(bob, { tool: "echo", input: { text: "other" } }), bob);
    expect(await bench.jobs.get(alice, job.id)).toMatchObject({ state: "queued", attempts: 0 });
  });
});
