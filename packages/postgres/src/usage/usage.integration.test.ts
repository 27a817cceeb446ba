import { makeCall, makeEvent, usageReaderConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresUsageReader } from "./read-usage.ts";

describe.each(testDatabaseKinds)("usage from the log, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem(async (query) => {
      for (const table of ["events", "sessions", "usage_hours", "calls_in_flight"])
        await sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query);
    });
    const log = createPostgresEventLog(test.database, "p1");
    return { log, reader: createPostgresUsageReader(test.database), cleanup: log.settle };
  };
  for (const { name, run } of usageReaderConformance(open)) it(name, run);

  it("adds up what several processes write at the same time", async () => {
    const at = Date.UTC(2026, 2, 4);
    const { reader } = await open();
    const logs = [1, 2, 3].map((number) => createPostgresEventLog(test.database, `p${number}`));
    const calls = Array.from({ length: 20 }, (_, n) => n);
    const append = (log: (typeof logs)[number], index: number, n: number) =>
      log.append(makeCall("tool.completed", { callId: `${index}_${n}`, session: `s${n}`, at, endData: { durationMs: 100 } }));
    await Promise.all(logs.flatMap((log, index) => calls.map((n) => append(log, index, n))));
    expect(await reader.read({ tenant: "acme", by: "tool", since: at })).toMatchObject([{ calls: 60, done: 60, durationMs: 6_000 }]);
  });

  it("counts a call once that was ended in the place of its process and ends all the same, whatever it ends together with", async () => {
    const reader = createPostgresUsageReader(test.database);
    const at = Date.UTC(2026, 2, 5);
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
    expect(await reader.read({ tenant: "acme", by: "tool", since: at, tool: "sleepy" })).toMatchObject([expected]);
  });
});
