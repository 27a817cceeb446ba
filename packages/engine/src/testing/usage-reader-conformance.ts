import assert from "node:assert/strict";
import type { EventLog } from "../ports/event-log.ts";
import type { UsageFilter, UsageReader } from "../ports/usage-reader.ts";
import type { ConformanceCase } from "./conformance-case.ts";
import { type LogFixture, onLog } from "./log-fixture.ts";
import { makeCall, makeEvent } from "./make-events.ts";

const day = Date.UTC(2026, 2, 1);
const hour = 3_600_000;

/** What every reader of usage must do. */
export function usageReaderConformance(open: () => Promise<LogFixture<UsageReader>>): readonly ConformanceCase[] {
  const withUsage = (name: string, check: (fixture: LogFixture<UsageReader>) => Promise<void>): ConformanceCase =>
    onLog(open)(name, async (fixture) => {
      await writeCalls(fixture.log);
      await check(fixture);
    });
  const read = (reader: UsageReader, filter: Partial<UsageFilter> = {}) =>
    reader.read({ tenant: "acme", by: "tool", since: day, ...filter });
  const counts = async (reader: UsageReader, filter: Partial<UsageFilter>) =>
    (await read(reader, filter)).map(({ key, calls }) => `${key} ${calls}`);
  const groups: readonly (readonly [UsageFilter["by"], readonly string[]])[] = [
    ["agent", ["helper 60", " 4"]],
    ["day", ["2026-03-01 60", "2026-03-02 4"]],
    ["hour", ["2026-03-01T00:00Z 20", "2026-03-01T01:00Z 20", "2026-03-01T02:00Z 20", "2026-03-02T01:00Z 4"]],
    ["tenant", ["acme 64"]],
  ];
  return [
    withUsage("adds up calls by tool, most calls first, without those that wait", async ({ reader }) => {
      const [add, divide, ...others] = await read(reader);
      assert.deepEqual(others, []);
      const { p50Ms, p95Ms, ...sums } = add ?? { p50Ms: null, p95Ms: null };
      const ended = { calls: 60, done: 60, failed: 0, unknown: 0, denied: 0, cancelled: 0 };
      const tokens = { inputTokens: 6_000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1_200 };
      assert.deepEqual(sums, { key: "add", ...ended, durationMs: 6_000, ...tokens, cost: 15 });
      assert.ok((p50Ms ?? 0) > 50 && (p95Ms ?? Number.POSITIVE_INFINITY) < 200, "within a factor of two of 100 ms");
      assert.deepEqual(
        [divide?.calls, divide?.done, divide?.failed, divide?.unknown, divide?.denied, divide?.cancelled, divide?.durationMs],
        [4, 0, 1, 1, 1, 1, 15_000],
      );
    }),
    ...groups.map(([by, expected]) =>
      withUsage(`groups by ${by}`, async ({ reader }) => assert.deepEqual(await counts(reader, { by }), expected)),
    ),
    withUsage("keeps to time, tool and agent, from the beginning of an hour", async ({ reader }) => {
      assert.deepEqual(await counts(reader, { since: day + 24 * hour }), ["divide 4"]);
      assert.deepEqual(await counts(reader, { until: day + hour }), ["add 20"]);
      assert.deepEqual(await counts(reader, { since: day + 2.5 * hour, until: day + 3 * hour }), ["add 20"]);
      assert.deepEqual(await counts(reader, { by: "tenant", agent: "helper" }), ["acme 60"]);
      assert.deepEqual(await counts(reader, { by: "tenant", tool: "none" }), []);
    }),
    withUsage("counts a call of another tenant for that tenant only (R-TN-3)", async ({ reader }) => {
      assert.deepEqual(await counts(reader, { tenant: "other" }), ["add 1"]);
    }),
    withUsage("adds costs up exactly", async ({ log, reader }) => {
      const at = day + 200 * hour;
      const ends = [0.1, 0.2, 0.000_000_001].map((cost, n) =>
        makeEvent({ callId: `p${n}`, at, tool: "paid", type: "tool.completed", data: { usage: { cost } } }),
      );
      await log.append(ends);
      await log.append(ends);
      assert.equal((await read(reader, { since: at, tool: "paid" }))[0]?.cost, 0.600_000_002);
    }),
  ];
}

async function writeCalls(log: EventLog): Promise<void> {
  const usage = { inputTokens: 100, outputTokens: 20, cost: 0.25 };
  for (let index = 0; index < 3; index += 1) {
    const endData = { durationMs: 100, usage };
    const calls = Array.from({ length: 20 }, (_, n) =>
      makeCall("tool.completed", { callId: `${index}_${n}`, session: `s${n}`, at: day + index * hour, agent: "helper", endData }),
    );
    await log.append(calls.flat());
  }
  const at = day + 25 * hour;
  const failed = { outcome: "failed", durationMs: 5_000 };
  await log.append([
    ...makeCall("tool.failed", { callId: "f", at, tool: "divide", endData: failed }),
    ...makeCall("tool.failed", { callId: "u", at, tool: "divide", endData: { ...failed, outcome: "unknown" } }),
    ...makeCall("tool.cancelled", { callId: "x", at, tool: "divide", endData: { durationMs: 5_000 } }),
    makeEvent({ callId: "d", at, tool: "divide", type: "tool.denied", data: { durationMs: 1 } }),
    makeEvent({ callId: "w", at, tool: "divide", type: "tool.needs_approval" }),
  ]);
  await log.append([makeEvent({ callId: "o", tenant: "other", at: day, type: "tool.completed", data: { durationMs: 1 } })]);
}
