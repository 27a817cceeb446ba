import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../testing/index.ts";
import { alice, createWorkbench, startWorkerProcess, until, type Workbench } from "../jobs-workbench.ts";

/** Milliseconds in which another worker has what a killed one left. */
const handoverMs = 30_000;

describe("two worker processes on one server", () => {
  let test: TestDatabase;
  let bench: Workbench;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    test = await openTestDatabase("server");
    bench = createWorkbench(test.database);
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    await test.cleanup();
  });
  const startProcess = async (name: string) => {
    const child = await startWorkerProcess(test.url ?? "", name);
    children.push(child);
    return child;
  };
  const workerOf = async (job: string) => {
    const row = await test.database.asSystem((query) =>
      query.selectFrom("toolwright.jobs").select(["worker", "state", "attempts"]).where("job", "=", job).executeTakeFirstOrThrow(),
    );
    return row;
  };

  it("hands the jobs of a killed worker over within 30 s, and says unknown of what must not run twice (R-AU-5, R-AU-6)", {
    timeout: 90_000,
  }, async () => {
    const first = await startProcess("first");
    const again = await bench.jobs.enqueue(alice, { tool: "held", input: { text: "x" } });
    const once = await bench.jobs.enqueue(alice, { tool: "held_once", input: { text: "x" } });
    for (const { id } of [again, once])
      await until(
        () => workerOf(id),
        ({ worker, state }) => worker === "first" && state === "running",
      );
    let said = "";
    (await startProcess("second")).stdout?.on("data", (chunk) => {
      said += chunk;
    });
    const killedAt = Date.now();
    first.kill("SIGKILL");
    await until(
      () => workerOf(again.id),
      ({ worker, attempts }) => worker === "second" && attempts === 2,
      handoverMs,
    );
    expect(
      await until(
        () => bench.jobs.get(alice, once.id),
        ({ state }) => state === "unknown",
        handoverMs,
      ),
    ).toMatchObject({ attempts: 1 });
    expect(Date.now() - killedAt).toBeLessThan(handoverMs);
    const words = [
      `The job ${again.id} (held) was taken over from first, which fell silent.`,
      `The job ${once.id} (held_once) ended as unknown: The process that ran "held_once" ended before the call did`,
    ];
    await until(
      async () => said,
      (all) => words.every((each) => all.includes(each)),
    );
  });

  it("hands over at once what a worker gives back when it is told to stop, and the process ends (R-AU-7)", {
    timeout: 60_000,
  }, async () => {
    const first = await startProcess("first");
    const job = await bench.jobs.enqueue(alice, { tool: "held", input: { text: "x" } });
    await until(
      () => workerOf(job.id),
      ({ state }) => state === "running",
    );
    await startProcess("second");
    first.kill("SIGTERM");
    expect(await once(first, "exit")).toEqual([0, null]);
    await until(
      () => workerOf(job.id),
      ({ worker, state }) => worker === "second" && state === "running",
      5_000,
    );
  });

  it("ends a call in the process that runs it, within a second of the cancellation in another", { timeout: 60_000 }, async () => {
    await startProcess("first");
    const job = await bench.jobs.enqueue(alice, { tool: "held", input: { text: "x" } });
    await until(
      () => workerOf(job.id),
      ({ state }) => state === "running",
    );
    const askedAt = Date.now();
    await bench.jobs.cancel(alice, job.id);
    await until(
      () => bench.jobs.get(alice, job.id),
      ({ state }) => state === "cancelled",
    );
    expect(Date.now() - askedAt).toBeLessThan(1_000);
  });

  it("shares the work, each job done by one of them", { timeout: 90_000 }, async () => {
    await Promise.all([startProcess("first"), startProcess("second")]);
    const made = await Promise.all(
      Array.from({ length: 60 }, (_, n) => bench.jobs.enqueue(alice, { tool: "echo", input: { text: `${n}` } })),
    );
    const done = await until(
      () => bench.jobs.list(alice, { states: ["done"] }),
      (jobs) => jobs.length === made.length,
      60_000,
    );
    expect(done.every(({ attempts }) => attempts === 1)).toBe(true);
  });
});
