import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../testing/index.ts";
import { alice, createWorkbench, letTimePass, readMarks, startWorkerProcess, until, type Workbench } from "../jobs-workbench.ts";

/** Milliseconds in which another worker has what a killed one left. */
const handoverMs = 30_000;

describe("a job whose worker is killed or falls silent in the middle", () => {
  let test: TestDatabase;
  let bench: Workbench;
  let marks: string;
  const children: ChildProcess[] = [];
  beforeEach(async () => {
    test = await openTestDatabase("server");
    bench = createWorkbench(test.database);
    marks = join(mkdtempSync(join(tmpdir(), "toolwright-marks-")), "marks");
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill("SIGKILL");
    rmSync(join(marks, ".."), { recursive: true });
    await test.cleanup();
  });
  const startProcess = async (name: string) => {
    const child = await startWorkerProcess(test.url ?? "", name);
    children.push(child);
    return child;
  };
  const enqueue = (tool: string) => bench.jobs.enqueue(alice, { tool, input: { text: marks }, retry: { attempts: 5 } });
  const ended = (id: string, ms = handoverMs) =>
    until(
      () => bench.jobs.get(alice, id),
      ({ state }) => !["blocked", "queued", "running"].includes(state),
      ms,
    );

  it("between its effect and the record: it ends as unknown and does not run twice (R-AU-4, R-AU-6)", { timeout: 90_000 }, async () => {
    const first = await startProcess("first");
    const { id } = await enqueue("mark_and_die");
    await once(first, "exit");
    await letTimePass(test.database);
    await startProcess("second");
    expect(await ended(id)).toMatchObject({ state: "unknown", attempts: 1, result: { status: "unknown", error: { code: "call_lost" } } });
    expect(readMarks(marks)).toBe(1);
  });

  it("between its effect and the record of a tool that may run twice: it runs again", { timeout: 90_000 }, async () => {
    const first = await startProcess("first");
    const { id } = await enqueue("mark_and_die_once");
    await once(first, "exit");
    await letTimePass(test.database);
    await startProcess("second");
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 2, result: { output: { text: "marked" } } });
    expect(readMarks(marks)).toBe(2);
  });

  it("after its call was recorded: it ends as the call did, which is not made again (R-AU-4)", { timeout: 90_000 }, async () => {
    const first = await startProcess("first");
    const { id } = await enqueue("mark_slowly");
    await until(() => readMarks(marks), Boolean);
    await test.database.owner.transaction().execute(async (held) => {
      // The worker cannot write how the job ended, while its call ends and is recorded.
      await sql`select from toolwright.jobs where job = ${id} for update`.execute(held);
      const recorded = () => sql`select from toolwright.idempotency_keys where result is not null`.execute(test.database.owner);
      await until(recorded, ({ rows }) => rows.length === 1);
      first.kill("SIGKILL");
      await once(first, "exit");
    });
    await letTimePass(test.database);
    await startProcess("second");
    expect(await ended(id)).toMatchObject({ state: "done", attempts: 1, result: { status: "done", output: { text: "marked" } } });
    expect(readMarks(marks)).toBe(1);
  });

  it("blocked for longer than its signs of life may fail: it is left to end, as it really ends", { timeout: 120_000 }, async () => {
    await startProcess("first");
    const { id } = await enqueue("mark_and_block");
    await until(() => readMarks(marks), Boolean);
    await letTimePass(test.database);
    await startProcess("second");
    expect(await ended(id, 60_000)).toMatchObject({ state: "done", attempts: 1, result: { status: "done" } });
    expect(readMarks(marks)).toBe(1);
    const { rows } = await sql`select type from toolwright.events where type <> 'tool.started'`.execute(test.database.owner);
    expect(rows).toEqual([{ type: "tool.completed" }]);
  });
});
