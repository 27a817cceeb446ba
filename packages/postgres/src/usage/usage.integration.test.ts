import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { makeCall, makeEvent } from "../testing/make-events.ts";
import { readUsage, type UsageFilter } from "./read-usage.ts";

const day = Date.UTC(2026, 2, 1);
const hour = 3_600_000;

describe.each(testDatabaseKinds)("usage from the log, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const logs = [1, 2, 3].map((number) => createPostgresEventLog(test.database, `p${number}`));
    const usage = { inputTokens: 100, outputTokens: 20, cost: 0.25 };
    await Promise.all(
      logs.flatMap((log, index) =>
        Array.from({ length: 20 }, (_, n) =>
          log.append(
            makeCall("tool.completed", {
              callId: `${index}_${n}`,
              session: `s${n}`,
              at: day + index * hour,
              agent: "helper",
              endData: { durationMs: 100, usage },
            }),
          ),
        ),
      ),
    );
    const failed = { outcome: "failed", durationMs: 5_000 };
    await logs[0]?.append([
      ...makeCall("tool.failed", { callId: "f", at: day + 25 * hour, tool: "divide", endData: failed }),
      ...makeCall("tool.failed", { callId: "u", at: day + 25 * hour, tool: "divide", endData: { ...failed, outcome: "unknown" } }),
      ...makeCall("tool.cancelled", { callId: "x", at: day + 25 * hour, tool: "divide", endData: { durationMs: 5_000 } }),
      makeEvent({ callId: "d", at: day + 25 * hour, tool: "divide", type: "tool.denied", data: { durationMs: 1 } }),
      makeEvent({ callId: "w", at: day + 25 * hour, tool: "divide", type: "tool.needs_approval" }),
    ]);
    await logs[0]?.append([makeEvent({ callId: "o", tenant: "other", at: day, type: "tool.completed", data: { durationMs: 1 } })]);
  });
  afterAll(() => test.cleanup());
  const read = (filter: Partial<UsageFilter>) => readUsage(test.database, { tenant: "acme", by: "tool", since: day, ...filter });
  const none = { failed: 0, unknown: 0, denied: 0, cancelled: 0 };

  it("adds up what several processes wrote, by tool, most calls first", async () => {
    const [add, divide, ...others] = await read({});
    expect(others).toEqual([]);
    expect(add).toMatchObject({
      key: "add",
      calls: 60,
      done: 60,
      ...none,
      durationMs: 6_000,
      inputTokens: 6_000,
      outputTokens: 1_200,
      cost: 15,
    });
    expect(divide).toMatchObject({ key: "divide", calls: 4, done: 0, failed: 1, unknown: 1, denied: 1, cancelled: 1, durationMs: 15_000 });
  });

  it("estimates how long calls took within a factor of two", async () => {
    const [add] = await read({});
    expect(add?.p50Ms).toBeGreaterThan(50);
    expect(add?.p95Ms).toBeLessThan(200);
  });

  it.each([
    [
      "agent",
      [
        ["helper", 60],
        ["", 4],
      ],
    ],
    [
      "day",
      [
        ["2026-03-01", 60],
        ["2026-03-02", 4],
      ],
    ],
    [
      "hour",
      [
        ["2026-03-01T00:00Z", 20],
        ["2026-03-01T01:00Z", 20],
        ["2026-03-01T02:00Z", 20],
        ["2026-03-02T01:00Z", 4],
      ],
    ],
    ["tenant", [["acme", 64]]],
  ] as const)("groups by %s", async (by, expected) => {
    expect((await read({ by })).map(({ key, calls }) => [key, calls])).toEqual(expected);
  });

  it("keeps to time, tool and agent", async () => {
    expect(await read({ since: day + 24 * hour })).toMatchObject([{ key: "divide" }]);
    expect(await read({ until: day + hour })).toMatchObject([{ key: "add", calls: 20 }]);
    // From the beginning of its hour.
    expect(await read({ since: day + 2.5 * hour, until: day + 3 * hour })).toMatchObject([{ key: "add", calls: 20 }]);
    expect(await read({ by: "tenant", agent: "helper" })).toMatchObject([{ calls: 60 }]);
    expect(await read({ by: "tenant", tool: "none" })).toEqual([]);
  });

  it("counts a call of another tenant for that tenant only (R-TN-3)", async () => {
    expect(await readUsage(test.database, { tenant: "other", by: "tool", since: day })).toMatchObject([{ key: "add", calls: 1 }]);
  });

  it("counts a call once that was ended in the place of its process and ends all the same, whatever it ends together with", async () => {
    const at = day + 100 * hour;
    const lost = { callId: "lost", at, tool: "sleepy" };
    await test.database.asSystem((query) =>
      query.insertInto("toolwright.lost_calls").values({ tenant: "acme", process: "sleeper", call_id: lost.callId }).execute(),
    );
    const other = createPostgresEventLog(test.database, "other");
    await other.append([makeEvent({ ...lost, type: "tool.failed", data: { outcome: "unknown" } })]);
    const done = {
      type: "tool.completed" as const,
      data: { durationMs: 1, usage: { inputTokens: 5, cachedInputTokens: 3, cacheWriteTokens: 1 } },
    };
    const late = createPostgresEventLog(test.database, "sleeper").append([
      makeEvent({ ...lost, ...done }),
      makeEvent({ ...done, callId: "own", at, tool: "sleepy" }),
      makeEvent({ ...done, callId: "own2", at, tool: "sleepy" }),
    ]);
    await expect(late).rejects.toMatchObject({ code: "call_lost" });
    const expected = { calls: 3, unknown: 1, done: 2, inputTokens: 10, cachedInputTokens: 6, cacheWriteTokens: 2 };
    expect(await read({ by: "tool", since: at, tool: "sleepy" })).toMatchObject([expected]);
  });

  it("adds costs up exactly", async () => {
    const at = day + 200 * hour;
    const costs = [0.1, 0.2, 0.000_000_001];
    const log = createPostgresEventLog(test.database, "p1");
    const ends = costs.map((cost, n) =>
      makeEvent({ callId: `c${n}`, at, tool: "paid", type: "tool.completed", data: { usage: { cost } } }),
    );
    await log.append(ends);
    await log.append(ends);
    expect(await read({ by: "tool", since: at, tool: "paid" })).toMatchObject([{ cost: 0.600_000_002 }]);
  });
});
