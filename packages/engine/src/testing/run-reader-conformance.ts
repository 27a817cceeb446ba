import assert from "node:assert/strict";
import type { CallEvent } from "../contract/events.ts";
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
    withRuns("keeps to a person, a door, a first decision and the call around", async ({ log, reader }) => {
      await log.append(callsOfOthers);
      assert.deepEqual(await list(reader, { user: "bob" }), ["d1 success"]);
      assert.deepEqual(await list(reader, { user: "bot" }), []);
      assert.deepEqual(await list(reader, { door: "mcp" }), ["d4 success", "d3 error", "d2 success"]);
      assert.deepEqual(await list(reader, { decision: "allow", since: 10_000 }), ["d5 success", "d4 success", "d3 error", "d1 success"]);
      assert.deepEqual(await list(reader, { decision: "allow", status: "error", since: 10_000 }), ["d3 error"]);
      assert.deepEqual(await list(reader, { decision: "ask" }), ["d2 success", "c7 success", "c6 pending"]);
      assert.deepEqual(await list(reader, { decision: "ask", status: "success" }), ["d2 success", "c7 success"]);
      assert.deepEqual(await list(reader, { decision: "deny" }), ["c5 denied"]);
      assert.deepEqual(await list(reader, { parent: "d2" }), ["d4 success", "d3 error"]);
      assert.deepEqual(await list(reader, { parent: "d2", status: "error" }), ["d3 error"]);
      assert.deepEqual(await list(reader, { parent: "none" }), []);
      assert.equal((await reader.find("acme", "d3"))?.parent, "d2");
    }),
    withRuns("lists a call that ran by a grant, from its start", async ({ log, reader }) => {
      await log.append([
        makeEvent({ callId: "g1", at: 10_000, type: "tool.approved", data: { grants: ["grt_1"], by: [{ kind: "user", id: "ann" }] } }),
        ...makeCall("tool.completed", { callId: "g1", at: 10_001 }),
      ]);
      assert.deepEqual(await list(reader, { since: 9_000 }), ["g1 success"]);
      assert.deepEqual(await list(reader, { since: 9_000, decision: "allow", status: "success" }), ["g1 success"]);
      const [first] = await readAll(reader.beginnings({ tenant: "acme", since: 9_000 }));
      assert.equal(first?.event.type, "tool.started");
    }),
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
        ...{
          id: "c1",
          tenant: "acme",
          session: "s1",
          tool: "add",
          parent: null,
          caller: { kind: "user", id: "ann" },
          user: "ann",
          agent: null,
        },
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

const place = (parent: string) => ({ root: parent, parent, step: "s", depth: 1, chain: ["add"] });
const bot = { kind: "agent", id: "bot" } as const;
const inside = { actor: bot, door: "mcp", session: "s2" } as const;

/** By another person and an agent; d3 and d4 inside d2, and the input of d5 only looks like it. */
const callsOfOthers: readonly CallEvent[] = [
  ...makeCall("tool.completed", { callId: "d1", at: 10_000, actor: { kind: "user", id: "bob" } }),
  makeEvent({ ...inside, callId: "d2", at: 11_000, type: "tool.needs_approval", data: { approval: "apr_2" } }),
  ...makeCall(undefined, { ...inside, callId: "d2", at: 11_001 }),
  ...makeCall("tool.failed", {
    ...{ ...inside, callId: "d3", at: 11_002, data: { place: place("d2") } },
    endData: { outcome: "failed", error: { message: "No" }, place: place("d2") },
  }),
  ...makeCall("tool.completed", { ...inside, callId: "d4", at: 11_003, data: { place: place("d2") }, endData: { place: place("d2") } }),
  makeEvent({ ...inside, callId: "d2", at: 11_011, type: "tool.completed", data: { durationMs: 7 } }),
  ...makeCall("tool.completed", { callId: "d5", at: 12_000, session: "s2", data: { input: { parent: "d2" } } }),
];

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
