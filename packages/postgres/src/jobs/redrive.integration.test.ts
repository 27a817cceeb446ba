import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { countWaiting } from "../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { endJob } from "./end-job.ts";
import { alice, createWorkbench, until, type Workbench } from "./jobs-workbench.ts";
import { redriveJob } from "./redrive-job.ts";

type Step = (query: Query, job: string) => Promise<unknown>;
const end =
  (state: "done" | "failed"): Step =>
  (query, job) =>
    endJob(query, { tenant: "acme", job }, { state, at: Date.now() });
const redrive: Step = async (query, job) => {
  const row = await query.selectFrom("toolwright.jobs").selectAll().where("job", "=", job).forUpdate().executeTakeFirstOrThrow();
  await redriveJob(query, row, { tenant: "acme", job, mayRepeat: false, now: Date.now() });
};

/** Makes a job after these. */
const enqueue = async ({ jobs }: Workbench, ...dependsOn: string[]) =>
  (await jobs.enqueue(alice, { tool: "echo", input: { text: "x" }, dependsOn })).id;

describe.each(testDatabaseKinds)("another try, %s", (kind) => {
  let test: TestDatabase;
  let bench: Workbench;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    bench = createWorkbench(test.database);
  });
  afterAll(() => test.cleanup());

  const ended = (job: string, state: "done" | "failed") => test.database.asTenant("acme", (query) => end(state)(query, job));
  const stateOf = async (job: string) => (await bench.jobs.get(alice, job)).state;

  it("is refused to a job while one that it runs after did not end well, which is named", async () => {
    const parent = await enqueue(bench);
    const child = await enqueue(bench, parent);
    for (const job of [child, parent]) await bench.jobs.cancel(alice, job);
    const refused = bench.jobs.redrive(alice, child);
    await expect(refused).rejects.toMatchObject({
      code: "job_refused",
      message: expect.stringContaining(`${parent}, which ended as cancelled`),
    });
    await bench.jobs.redrive(alice, parent);
    expect(await bench.jobs.redrive(alice, child)).toMatchObject({ state: "blocked" });
    await ended(parent, "done");
    expect(await stateOf(child)).toBe("queued");
  });

  it("is given to a skipped job, and what follows it, when the one that it was skipped for is removed", async () => {
    const parent = await enqueue(bench);
    const child = await enqueue(bench, parent);
    const grandchild = await enqueue(bench, child);
    await ended(parent, "failed");
    await expect(bench.jobs.redrive(alice, child)).rejects.toMatchObject({ message: expect.stringContaining("Redrive that one") });
    await bench.jobs.remove(alice, parent);
    expect(await bench.jobs.redrive(alice, child)).toMatchObject({ state: "queued", dependsOn: [] });
    await ended(child, "done");
    expect(await stateOf(grandchild)).toBe("queued");
  });

  it("leaves a job skipped that also runs after one which is skipped for another, until that other has its own", async () => {
    const [first, second] = [await enqueue(bench), await enqueue(bench)];
    const middle = await enqueue(bench, second);
    const last = await enqueue(bench, first, middle);
    for (const job of [first, second]) await ended(job, "failed");
    await bench.jobs.redrive(alice, first);
    expect(await stateOf(last)).toBe("skipped");
    await bench.jobs.redrive(alice, second);
    for (const job of [first, second, middle]) await ended(job, "done");
    expect(await stateOf(last)).toBe("queued");
  });
});

describe("another try and the ending of the other parent of one child, at once", () => {
  let test: TestDatabase;
  let bench: Workbench;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    bench = createWorkbench(test.database);
  });
  afterAll(() => test.cleanup());

  /** Does one step, and has the second one begin before the first is committed. */
  async function overlap(first: (query: Query) => Promise<unknown>, second: (query: Query) => Promise<unknown>): Promise<void> {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const one = test.database.asTenant("acme", async (query) => {
      await first(query);
      begun.resolve();
      await release.promise;
    });
    await Promise.race([begun.promise, one]);
    let isOver = false;
    const other = test.database.asTenant("acme", second).finally(() => {
      isOver = true;
    });
    await until(async () => isOver || (await countWaiting(test.database.owner)) > 0, Boolean);
    release.resolve();
    await Promise.all([one, other]);
  }
  const inTenant = (step: Step, job: string) => test.database.asTenant("acme", (query) => step(query, job));

  it.each<[string, { before?: Step; first: [Step, "a" | "b"]; second: [Step, "a" | "b"]; child: string }]>([
    ["lets the child go when the other one is done first", { first: [end("done"), "b"], second: [redrive, "a"], child: "queued" }],
    ["lets the child go when the other one is done after it", { first: [redrive, "a"], second: [end("done"), "b"], child: "queued" }],
    ["skips the child when the other one fails first", { first: [end("failed"), "b"], second: [redrive, "a"], child: "skipped" }],
    ["skips the child when the other one fails after it", { first: [redrive, "a"], second: [end("failed"), "b"], child: "skipped" }],
    [
      "lets the child go when both have another try",
      { before: end("failed"), first: [redrive, "a"], second: [redrive, "b"], child: "queued" },
    ],
  ])("%s", async (_, { before, first, second, child }) => {
    const parents = { a: await enqueue(bench), b: await enqueue(bench) };
    const job = await enqueue(bench, parents.a, parents.b);
    await inTenant(end("failed"), parents.a);
    if (before) await inTenant(before, parents.b);
    await overlap(
      (query) => first[0](query, parents[first[1]]),
      (query) => second[0](query, parents[second[1]]),
    );
    for (const parent of [parents.a, parents.b]) await inTenant(end("done"), parent);
    expect(await bench.jobs.get(alice, job)).toMatchObject({ state: child });
  });
});
