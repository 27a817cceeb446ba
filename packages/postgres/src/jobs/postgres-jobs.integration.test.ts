import { digest, type JobRecord } from "@toolwright/engine";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { alice, createWorkbench, until, type Workbench } from "./jobs-workbench.ts";
import type { Worker } from "./start-worker.ts";

const quick = { attempts: 3, delayMs: 10 };

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
  const work = async (options = {}) => workers.push(await bench.work(options));
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

  it("runs a call through the gate and keeps its result", async () => {
    const job = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "hello" } });
    expect(job).toMatchObject({ state: "queued", attempts: 0, principal: alice });
    await work();
    expect(await ended(job)).toMatchObject({
      state: "done",
      attempts: 1,
      result: { status: "done", output: { text: "hello" } },
      progress: { done: 1, total: 2, message: "half" },
    });
  });

  it("gives the same job for the same key, and refuses the key for another one", async () => {
    const request = { tool: "echo", input: { text: "once" }, idempotencyKey: "k" };
    const all = await Promise.all(Array.from({ length: 5 }, () => bench.jobs.enqueue(alice, request)));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    await expect(bench.jobs.enqueue(alice, { ...request, input: { text: "twice" } })).rejects.toMatchObject({ code: "job_refused" });
    const other = await bench.jobs.enqueue({ ...alice, actor: { kind: "user", id: "bob" } }, request);
    expect(other.id).not.toBe(all[0]?.id);
  });

  it("shows nothing to another tenant or actor, whatever is asked for", async () => {
    const { id } = await bench.jobs.enqueue(alice, { tool: "echo", input: {} });
    const strangers = [
      { ...alice, tenant: "other", permissions: ["jobs:manage"] },
      { ...alice, actor: { kind: "user" as const, id: "bob" } },
    ];
    for (const stranger of strangers) {
      const missing = await bench.jobs.get(stranger, "job_missing").catch((error: Error) => error.message.replace("job_missing", id));
      for (const ask of ["get", "cancel", "redrive"] as const)
        await expect(bench.jobs[ask](stranger, id)).rejects.toMatchObject({ code: "job_not_found", message: missing });
      expect(await bench.jobs.list(stranger)).toEqual([]);
      await expect(
        bench.jobs.enqueue({ ...stranger, tenant: "other" }, { tool: "echo", input: {}, dependsOn: [id] }),
      ).rejects.toMatchObject({
        code: "job_not_found",
      });
    }
    expect(await bench.jobs.list({ ...alice, actor: { kind: "user", id: "bob" }, permissions: ["jobs:manage"] })).toHaveLength(1);
  });

  it("denies what asks and says why, unless a grant was given for the job", async () => {
    await work();
    const request = { tool: "asking", input: { text: "may I" } };
    const refused = await ended(await bench.jobs.enqueue(alice, request));
    expect(refused).toMatchObject({ state: "denied", result: { status: "denied" } });
    expect(refused.reason).toMatch(/no person|nobody|without a person|unattended/i);
    const allows = [{ kind: "input" as const, digest: digest(request.input) }];
    await bench.engine
      .scope({ ...alice, interactive: true }, { session: "mine" })
      .grant({ tool: "asking", allows, scope: "session", maxUses: 1 });
    expect(await ended(await bench.jobs.enqueue(alice, { ...request, session: "mine" }))).toMatchObject({ state: "done" });
    expect(await ended(await bench.jobs.enqueue(alice, { ...request, session: "mine" }))).toMatchObject({ state: "denied" });
  });

  it("tries again what may pass, with a wait, and keeps a dead letter when it does not", async () => {
    await work();
    const flaky = await ended(await bench.jobs.enqueue(alice, { tool: "flaky", input: { text: "x" }, retry: quick }));
    expect(flaky).toMatchObject({ state: "done", attempts: 3 });
    const broken = await ended(await bench.jobs.enqueue(alice, { tool: "broken", input: { text: "x" }, retry: quick }));
    expect(broken).toMatchObject({ state: "failed", attempts: 1, reason: "It is broken." });
    expect(await bench.jobs.list(alice, { states: ["failed"] })).toMatchObject([{ id: broken.id }]);
    expect(await ended(await bench.jobs.enqueue(alice, { tool: "missing", input: {}, retry: quick }))).toMatchObject({
      state: "failed",
      attempts: 1,
      result: { error: { code: "tool_not_found" } },
    });
    await bench.jobs.redrive(alice, broken.id);
    await until(
      () => bench.jobs.get(alice, broken.id),
      ({ state, attempts }) => state === "failed" && attempts === 2,
    );
  });

  it("waits for its time", async () => {
    await work();
    const later = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "later" }, runAt: Date.now() + 1_500 });
    const now = await bench.jobs.enqueue(alice, { tool: "echo", input: { text: "now" } });
    await ended(now);
    expect(await bench.jobs.get(alice, later.id)).toMatchObject({ state: "queued" });
    const done = await ended(later);
    expect(done.startedAt ?? 0).toBeGreaterThanOrEqual(later.runAt);
  });

  it("ends the running call within a second when the job is cancelled", async () => {
    await work();
    const job = await running(await bench.jobs.enqueue(alice, { tool: "held", input: { text: "x" } }));
    const askedAt = Date.now();
    expect(await bench.jobs.cancel(alice, job.id, "Not needed.")).toMatchObject({ isCancelling: true });
    expect(await ended(job)).toMatchObject({ state: "cancelled", reason: "Not needed." });
    expect(Date.now() - askedAt).toBeLessThan(1_000);
    expect(await bench.jobs.cancel(alice, job.id)).toMatchObject({ state: "cancelled", reason: "Not needed." });
  });

  it("runs a graph in order, joins branches once, and skips what waits for a job that did not end well", async () => {
    const enqueue = (tool: string, text: string, dependsOn: readonly JobRecord[] = []) =>
      bench.jobs.enqueue(alice, { tool, input: { text }, dependsOn: dependsOn.map(({ id }) => id) });
    const root = await enqueue("echo", "root");
    const branches = await Promise.all(["a", "b", "c"].map((name) => enqueue("echo", name, [root])));
    const join = await enqueue("echo", "join", branches);
    const bad = await enqueue("broken", "bad", [root]);
    const after = await enqueue("echo", "after", [bad, join]);
    const last = await enqueue("echo", "last", [after]);
    expect(join).toMatchObject({ state: "blocked", dependsOn: branches.map(({ id }) => id).sort() });
    await work();
    await ended(join);
    expect(bench.done[0]).toBe("root");
    expect(bench.done.slice(1).sort()).toEqual(["a", "b", "c", "join"]);
    expect(bench.done.at(-1)).toBe("join");
    expect(await ended(last)).toMatchObject({ state: "skipped", reason: `It was to run after ${bad.id}, which ended as failed.` });
    expect(await enqueue("echo", "too late", [last])).toMatchObject({ state: "skipped" });
    await expect(bench.jobs.redrive(alice, last.id)).rejects.toMatchObject({ code: "job_refused" });
    expect(await bench.jobs.redrive(alice, bad.id)).toMatchObject({ state: "queued" });
    expect((await bench.jobs.get(alice, last.id)).state).toMatch(/blocked|skipped/);
    expect(await ended(last)).toMatchObject({ state: "skipped" });
  });

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
