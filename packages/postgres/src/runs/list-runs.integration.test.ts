import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { makeCall, makeEvent } from "../testing/make-events.ts";
import { findRun, listRuns, type RunFilter } from "./list-runs.ts";

describe.each(testDatabaseKinds)("runs as one record from their events, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const log = createPostgresEventLog(test.database, "p1");
    const denied = { type: "tool.denied", data: { input: { a: 2 }, reason: "No.\u0000", durationMs: 1 } } as const;
    const asked = { type: "tool.needs_approval", data: { input: { a: 3 }, approval: "apr_1" } } as const;
    const chunk = (callId: string, at: number) => makeEvent({ callId, at, type: "tool.output_appended", data: { text: "x" } });
    await log.append([
      ...makeCall("tool.completed", { callId: "c1", at: 1_000, source: "api", endData: { output: { sum: 3 } } }),
      ...makeCall("tool.failed", {
        callId: "c2",
        at: 2_000,
        tool: "divide",
        agent: "helper",
        endData: { outcome: "failed", error: { message: "By zero\u0000" } },
      }),
      ...makeCall("tool.failed", { callId: "c3", at: 3_000, source: "web", endData: { outcome: "unknown", error: { message: "Lost" } } }),
      ...makeCall("tool.cancelled", { callId: "c4", at: 4_000, endData: { reason: "Stopped." } }),
      makeEvent({ callId: "c5", at: 5_000, ...denied }),
      makeEvent({ callId: "c6", at: 6_000, ...asked }),
      makeEvent({ callId: "c6", at: 6_010, ...asked }),
      makeEvent({ callId: "c7", at: 7_000, ...asked }),
      makeEvent({ callId: "c7", at: 7_050, type: "tool.approved", data: { approval: "apr_1" } }),
      ...makeCall("tool.completed", { callId: "c7", at: 7_100, endData: { output: 4 } }),
      ...makeCall(undefined, { callId: "c8", at: 8_000 }),
      chunk("c8", 8_001),
      chunk("c8", 8_002),
    ]);
    await log.append([makeEvent({ tenant: "other", callId: "c9" })]);
  });
  afterAll(() => test.cleanup());

  const list = async (filter: Partial<RunFilter> = {}) =>
    (await listRuns(test.database, { tenant: "acme", ...filter })).runs.map(({ id, status }) => `${id} ${status}`);

  it("lists each call once, newest first, with how it stands", async () => {
    expect(await list()).toEqual([
      "c8 running",
      "c7 success",
      "c6 pending",
      "c5 denied",
      "c4 cancelled",
      "c3 unknown",
      "c2 error",
      "c1 success",
    ]);
  });

  it.each([
    [{ tool: "divide" }, ["c2 error"]],
    [{ agent: "helper" }, ["c2 error"]],
    [{ source: "api" }, ["c1 success"]],
    [{ since: 7_000 }, ["c8 running", "c7 success"]],
    [{ status: "success" }, ["c7 success", "c1 success"]],
    [{ status: "error" }, ["c2 error"]],
    [{ status: "unknown" }, ["c3 unknown"]],
    [{ status: "cancelled" }, ["c4 cancelled"]],
    [{ status: "denied" }, ["c5 denied"]],
    [{ status: "pending" }, ["c6 pending"]],
    [{ status: "running" }, ["c8 running"]],
    [{ status: "success", tool: "divide" }, []],
  ] as const)("keeps to the filter %j", async (filter, runs) => {
    expect(await list(filter)).toEqual(runs);
  });

  it("refuses a place that no page gave", async () => {
    await expect(list({ after: "nonsense" })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("goes from page to page without a gap or a repetition, also when many have one time", async () => {
    const log = createPostgresEventLog(test.database, "p2");
    await log.append(
      Array.from({ length: 25 }, (_, n) =>
        makeCall("tool.completed", { session: "many", tool: "many", callId: `m${n}`, at: 9_000 }),
      ).flat(),
    );
    const seen: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await listRuns(test.database, { tenant: "acme", tool: "many", limit: 10, after });
      seen.push(...page.runs.map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  it("shows one by its id, and another tenant's as none (R-TN-3)", async () => {
    expect(await findRun(test.database, "acme", "c1")).toEqual({
      id: "c1",
      tenant: "acme",
      session: "s1",
      tool: "add",
      caller: { kind: "user", id: "ann" },
      user: "ann",
      agent: null,
      input: { a: 1 },
      output: { sum: 3 },
      status: "success",
      error: null,
      durationMs: 7,
      source: "api",
      door: "cli",
      startedAt: 1_000,
    });
    expect(await findRun(test.database, "acme", "c2")).toMatchObject({ error: "By zero\u0000", agent: "helper", output: null });
    expect(await findRun(test.database, "acme", "c9")).toBeUndefined();
    expect(await findRun(test.database, "acme", "none")).toBeUndefined();
  });
});
