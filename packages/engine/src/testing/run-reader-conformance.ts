import assert from "node:assert/strict";
import type { EventLog } from "../ports/event-log.ts";
import type { RunFilter, RunReader } from "../ports/run-reader.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { type LogFixture, onLog } from "./log-fixture.ts";
import { makeCall, makeEvent, readAll } from "./make-events.ts";

const tables: readonly (readonly [filter: Partial<RunFilter>, runs: readonly string[]])[] = [
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
];

/** What every reader of runs must do. */
export function runReaderConformance(open: () => Promise<LogFixture<RunReader>>): readonly ConformanceCase[] {
  const withRuns = (name: string, check: (fixture: LogFixture<RunReader>) => Promise<void>): ConformanceCase =>
    onLog(open)(name, async (fixture) => {
      await writeCalls(fixture.log);
      await check(fixture);
    });
  const list = async (reader: RunReader, filter: Partial<RunFilter> = {}) =>
    (await reader.list({ tenant: "acme", ...filter })).runs.map(({ id, status }) => `${id} ${status}`);
  return [
    withRuns("lists each call once, newest first, with how it stands", async ({ reader }) => {
      const all = ["c8 running", "c7 success", "c6 pending", "c5 denied", "c4 cancelled", "c3 unknown", "c2 error", "c1 success"];
      assert.deepEqual(await list(reader), all);
    }),
    ...tables.map(([filter, runs]) =>
      withRuns(`keeps to the filter ${JSON.stringify(filter)}`, async ({ reader }) => assert.deepEqual(await list(reader, filter), runs)),
    ),
    withRuns("refuses a place that no page gave", async ({ reader }) => {
      await assert.rejects(async () => list(reader, { after: "nonsense" }), { code: "invalid_input" });
    }),
    withRuns("goes from page to page without a gap or a repetition, also when many have one time", async ({ log, reader }) => {
      const calls = Array.from({ length: 25 }, (_, n) =>
        makeCall("tool.completed", { session: "many", tool: "many", callId: `m${n}`, at: 9_000 }),
      );
      await log.append(calls.flat());
      const seen: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await reader.list({ tenant: "acme", tool: "many", limit: 10, after });
        assert.ok(page.runs.length <= 10);
        seen.push(...page.runs.map(({ id }) => id));
        after = page.next;
        if (after === undefined) break;
      }
      assert.equal(seen.length, 25);
      assert.equal(new Set(seen).size, 25);
    }),
    withRuns("finds one by its id, and another tenant's as none (R-TN-3)", async ({ reader }) => {
      assert.deepEqual(await reader.find("acme", "c1"), {
        ...{ id: "c1", tenant: "acme", session: "s1", tool: "add", caller: { kind: "user", id: "ann" }, user: "ann", agent: null },
        ...{ input: { a: 1 }, output: { sum: 3 }, status: "success", error: null, durationMs: 7 },
        ...{ source: "api", door: "cli", startedAt: 1_000 },
      });
      const failed = await reader.find("acme", "c2");
      assert.deepEqual([failed?.error, failed?.agent, failed?.output], ["By zero\u0000", "helper", null]);
      for (const id of ["c9", "none", "__proto__", ""]) assert.equal(await reader.find("acme", id), undefined);
      assert.deepEqual(
        (await reader.list({ tenant: "other" })).runs.map(({ id }) => id),
        ["c9"],
      );
    }),
    withRuns("gives the event that each call began with, newest first, as many as asked for", async ({ reader }) => {
      const read = async (filter: Partial<RunFilter>) =>
        (await readAll(reader.beginnings({ tenant: "acme", ...filter }))).map(({ event }) => `${event.callId} ${event.type}`);
      assert.deepEqual(await read({ since: 5_000 }), [
        "c8 tool.started",
        "c7 tool.needs_approval",
        "c6 tool.needs_approval",
        "c5 tool.denied",
      ]);
      assert.deepEqual(await read({ limit: 1 }), ["c8 tool.started"]);
      assert.equal((await read({})).length, 8);
    }),
  ];
}

async function writeCalls(log: EventLog): Promise<void> {
  const denied = { type: "tool.denied", data: { input: { a: 2 }, reason: "No.\u0000", durationMs: 1 } } as const;
  const asked = { type: "tool.needs_approval", data: { input: { a: 3 }, approval: "apr_1" } } as const;
  const chunk = (callId: string, at: number) => makeEvent({ callId, at, type: "tool.output_appended", data: { text: "x" } });
  const byZero = { outcome: "failed", error: { message: "By zero\u0000" } };
  await log.append([
    ...makeCall("tool.completed", { callId: "c1", at: 1_000, source: "api", endData: { output: { sum: 3 } } }),
    ...makeCall("tool.failed", { callId: "c2", at: 2_000, tool: "divide", agent: "helper", endData: byZero }),
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
}
