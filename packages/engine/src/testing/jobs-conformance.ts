import assert from "node:assert/strict";
import { digest } from "../contract/digest.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { JobRecord, JobRequest } from "../ports/jobs.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { ann, createJobsProbe, type JobsFixture, type JobsProbe, type OpenJobs, strangers, untilHolds, untilOver } from "./jobs-probe.ts";

interface Bench extends JobsFixture, JobsProbe {
  enqueue(tool: string, text: string, more?: Partial<JobRequest>): Promise<JobRecord>;
}

const bob = { ...ann, tenant: "other", actor: { kind: "user", id: "bob" } } as const;
const quick = { attempts: 3, delayMs: 10 };
export const isRefused = (code: string) => (error: unknown) => ToolwrightError.is(error) && error.code === code;

/** What every store of jobs must do, with workers of its own. */
export function jobsConformance(open: OpenJobs): readonly ConformanceCase[] {
  const withJobs = (name: string, check: (bench: Bench) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const place = await open(Date.now);
      const probe = createJobsProbe();
      const enqueue: Bench["enqueue"] = (tool, text, more = {}) => place.jobs.enqueue(ann, { tool, input: { text }, ...more });
      try {
        await check({ ...place, ...probe, enqueue });
      } finally {
        probe.release();
        await place.cleanup();
      }
    },
  });
  return [
    withJobs("runs a call through the gate, and keeps its result and progress", async ({ jobs, work, engine, enqueue }) => {
      const made = await enqueue("echo", "hello");
      assert.deepEqual([made.state, made.attempts, made.principal, made.session], ["queued", 0, ann, made.id]);
      await work(engine);
      const job = await untilOver(jobs, made);
      assert.deepEqual([job.state, job.attempts], ["done", 1]);
      assert.ok(job.result?.status === "done");
      assert.deepEqual(job.result.output, { text: "hello" });
      assert.deepEqual(job.progress, { done: 1, total: 2, message: "half" });
      assert.deepEqual(
        (await jobs.list(ann, { states: ["done"], tool: "echo" })).map(({ id }) => id),
        [job.id],
      );
      assert.deepEqual(await jobs.list(ann, { states: ["failed"] }), []);
    }),
    withJobs("gives the same job for the same key of an actor, and refuses the key for another one", async ({ jobs, enqueue }) => {
      const all = await Promise.all(Array.from({ length: 5 }, () => enqueue("echo", "once", { idempotencyKey: "k" })));
      assert.equal(new Set(all.map(({ id }) => id)).size, 1);
      await assert.rejects(enqueue("echo", "twice", { idempotencyKey: "k" }), isRefused("job_refused"));
      const other = await jobs.enqueue(bob, { tool: "echo", input: { text: "once" }, idempotencyKey: "k" });
      assert.notEqual(other.id, all[0]?.id);
    }),
    withJobs("shows nothing to another tenant or actor, whatever is asked for (R-TN-3)", async ({ jobs, enqueue }) => {
      const { id } = await enqueue("echo", "mine");
      for (const stranger of strangers) {
        const missing = await jobs.get(stranger, "missing").catch((error: Error) => error.message.replace("missing", id));
        for (const ask of ["get", "cancel", "redrive"] as const)
          await assert.rejects(jobs[ask](stranger, id), { code: "job_not_found", message: missing }, `${ask} as ${stranger.tenant}`);
        assert.deepEqual(await jobs.list(stranger), []);
      }
      const depends = { tool: "echo", input: { text: "x" }, dependsOn: [id] };
      await assert.rejects(jobs.enqueue(bob, depends), isRefused("job_not_found"));
      assert.equal((await jobs.list({ ...bob, tenant: "acme", permissions: ["jobs:manage"] })).length, 1);
    }),
    withJobs("denies what would ask and says why, unless a grant was given for the job", async ({ jobs, work, engine, enqueue }) => {
      await work(engine);
      const refused = await untilOver(jobs, await enqueue("asking", "may I"));
      assert.equal(refused.state, "denied");
      assert.match(refused.reason ?? "", /no person|nobody|without a person|unattended/i);
      const allows = [{ kind: "input" as const, digest: digest({ text: "may I" }) }];
      const mine = engine.scope({ ...ann, interactive: true }, { session: "mine" });
      await mine.grant({ tool: "asking", allows, scope: "session", maxUses: 1 });
      const states: string[] = [];
      for (let n = 0; n < 2; n += 1) states.push((await untilOver(jobs, await enqueue("asking", "may I", { session: "mine" }))).state);
      assert.deepEqual(states, ["done", "denied"]);
    }),
    withJobs("tries again what may pass, and keeps the rest as a dead letter that can have another try", async (bench) => {
      const { jobs, work, engine, enqueue } = bench;
      await work(engine);
      const flaky = await untilOver(jobs, await enqueue("flaky", "x", { retry: quick }));
      assert.deepEqual([flaky.state, flaky.attempts], ["done", 3]);
      const broken = await untilOver(jobs, await enqueue("broken", "x", { retry: quick }));
      assert.deepEqual([broken.state, broken.attempts, broken.reason], ["failed", 1, "It is broken."]);
      await jobs.redrive(ann, broken.id);
      const again = await untilHolds(
        () => jobs.get(ann, broken.id),
        ({ state, attempts }) => state === "failed" && attempts === 2,
      );
      assert.equal(again.reason, "It is broken.");
      await assert.rejects(jobs.redrive(ann, flaky.id), isRefused("job_refused"));
    }),
    withJobs("waits before it tries again, and gives up when no try is left", async ({ jobs, work, engine, enqueue }) => {
      await work(engine);
      const waits = await enqueue("flaky", "slow", { retry: { attempts: 2, delayMs: 60_000 } });
      const waiting = await untilHolds(
        () => jobs.get(ann, waits.id),
        ({ state, attempts }) => state === "queued" && attempts === 1,
      );
      assert.ok(waiting.runAt - (waiting.startedAt ?? 0) >= 30_000);
      const given = await untilOver(jobs, await enqueue("flaky", "twice", { retry: { attempts: 2, delayMs: 1 } }));
      assert.deepEqual([given.state, given.attempts], ["failed", 2]);
    }),
    withJobs("runs nothing before its time, and ends before it what is cancelled", async ({ jobs, work, engine, enqueue, called }) => {
      await work(engine);
      const later = await enqueue("echo", "later", { runAt: Date.now() + 3_600_000 });
      const soon = await enqueue("echo", "soon", { runAt: Date.now() + 300 });
      const done = await untilOver(jobs, soon);
      assert.ok((done.startedAt ?? 0) >= soon.runAt);
      const cancelled = await jobs.cancel(ann, later.id, "Not needed.");
      assert.deepEqual([cancelled.state, cancelled.reason], ["cancelled", "Not needed."]);
      assert.deepEqual(called, ["soon"]);
      assert.equal((await jobs.cancel(ann, soon.id)).state, "done");
    }),
    withJobs("removes a job that has ended, and none before its end or of somebody else", async ({ jobs, enqueue }) => {
      const { id } = await enqueue("echo", "x");
      await assert.rejects(jobs.remove(ann, id), { code: "job_refused" });
      await jobs.cancel(ann, id);
      await assert.rejects(jobs.remove(bob, id), { code: "job_not_found" });
      await jobs.remove(ann, id);
      await assert.rejects(jobs.get(ann, id), { code: "job_not_found" });
      await assert.rejects(jobs.remove(ann, id), { code: "job_not_found" });
    }),
    withJobs("ends the running call of a job that is cancelled", async ({ jobs, work, engine, enqueue, called }) => {
      await work(engine);
      const job = await enqueue("held", "running");
      await untilHolds(
        () => called.length,
        (count) => count === 1,
      );
      assert.equal((await jobs.cancel(ann, job.id, "Enough.")).isCancelling, true);
      const ended = await untilOver(jobs, job);
      assert.deepEqual([ended.state, ended.reason], ["cancelled", "Enough."]);
    }),
    withJobs("runs a job when all that it waits for are done, and skips it when one of them does not end well", async (bench) => {
      const { jobs, work, engine, enqueue, called } = bench;
      const after = (...parents: JobRecord[]) => ({ dependsOn: parents.map(({ id }) => id) });
      const root = await enqueue("echo", "root");
      const branches = await Promise.all(["a", "b"].map((name) => enqueue("echo", name, after(root))));
      const join = await enqueue("echo", "join", after(...branches));
      const bad = await enqueue("broken", "bad", after(root));
      const last = await enqueue("echo", "last", after(await enqueue("echo", "below", after(bad))));
      assert.equal(join.state, "blocked");
      await work(engine);
      assert.equal((await untilOver(jobs, join)).state, "done");
      assert.equal((await untilOver(jobs, last)).state, "skipped");
      assert.deepEqual([called[0], called.filter((each) => each === "join").length], ["root", 1]);
      assert.ok(called.indexOf("join") > Math.max(called.indexOf("a"), called.indexOf("b")));
      assert.equal(called.includes("below") || called.includes("last"), false);
      await jobs.redrive(ann, bad.id);
      assert.match((await jobs.get(ann, last.id)).state, /blocked|skipped/);
    }),
    withJobs("runs of one tenant no more at once than it may, and others beside it", async ({ jobs, work, engine, enqueue, release }) => {
      await work(engine, { tenantConcurrency: 2 });
      const held = await Promise.all(Array.from({ length: 5 }, (_, n) => enqueue("held", `held ${n}`)));
      const other = await jobs.enqueue(bob, { tool: "echo", input: { text: "beside" } });
      assert.equal((await untilOver(jobs, other)).state, "done");
      const running = async () => (await jobs.list(ann, { states: ["running"] })).length;
      await untilHolds(running, (count) => count === 2);
      release();
      for (const job of held) assert.equal((await untilOver(jobs, job)).state, "done");
    }),
    withJobs("tells followers of a tenant of its jobs, and of no other's", async ({ jobs, enqueue }) => {
      const heard: (string | undefined)[] = [];
      const stop = jobs.follow("other", (id) => heard.push(id));
      const own = Promise.withResolvers<void>();
      const stopOwn = jobs.follow("acme", (id) => id !== undefined && own.resolve());
      const { id } = await enqueue("echo", "x");
      await own.promise;
      stop();
      stopOwn();
      assert.equal(heard.includes(id), false);
    }),
  ];
}
