import { type CallEvent, findBrokenLink } from "@toolwright/engine";
import { eventLogConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";

const event = (session: string, at: number, data: CallEvent["data"] = {}): CallEvent => ({
  type: "tool.started",
  at,
  session,
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  door: "cli",
  callId: `call_${session}_${at}`,
  tool: "add",
  data,
});

describe.each(testDatabaseKinds)("the event log in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const emptyLog = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.events`.execute(query));
    await test.database.asSystem((query) => sql`delete from toolwright.sessions`.execute(query));
    return { log: createPostgresEventLog(test.database, "p1"), cleanup: async () => {} };
  };
  for (const { name, run } of eventLogConformance(emptyLog)) it(name, run);

  it("gives back every text that JSON can carry, and the chain holds over it", async () => {
    const { log } = await emptyLog();
    const odd = { nul: "a\u0000b", surrogate: "\ud800", deep: [{ __proto__: null, "": 1e21 }], zero: -0, quote: '"\\\n', none: undefined };
    await log.append([{ ...event("s\u0000\ud800", 5, odd as CallEvent["data"]), agent: "helper", source: "api" }]);
    const [stored] = await log.read({ tenant: "acme", session: "s\uFFFD\uFFFD" });
    expect(stored?.event.data).toEqual({ ...odd, zero: 0, none: undefined });
    expect(stored?.event.agent).toBe("helper");
  });

  it("lets nobody edit or remove an event as a tenant", async () => {
    const { log } = await emptyLog();
    await log.append([event("s1", 1)]);
    for (const attempt of [sql`update toolwright.events set tool = 'other'`, sql`delete from toolwright.events`])
      await expect(test.database.asTenant("acme", (query) => attempt.execute(query))).rejects.toThrow(/permission denied|lacks a right/);
  });

  it("fails only the event of an unknown tenant", async () => {
    const { log } = await emptyLog();
    const settled = await Promise.allSettled([log.append([event("s1", 1)]), log.append([{ ...event("s1", 2), tenant: "nobody" }])]);
    expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  });

  it("writes a batch that is sent again once: its answer may have been lost", async () => {
    await emptyLog();
    const send = (batch: number) =>
      sql`select toolwright.write_events('acme', 'p1', 'w1', ${batch}::bigint, '{s1}', '{2026-01-01}', '{2026-01-01}', '{1}', '{d}', '{2026-01-01}', '{tool.denied}', '{c1}', '{add}', '{user}', '{ann}',
        '{null}', '{cli}', '{null}', '{"{}"}', null, null, null)`.execute(test.database.owner);
    for (const batch of [1, 1, 2, 1]) await send(batch);
    const { rows } = await sql`select sequence from toolwright.events where session = 's1' order by 1`.execute(test.database.owner);
    expect(rows).toEqual([{ sequence: 1 }, { sequence: 2 }]);
  });

  it("may not be written to as a tenant but through the process", async () => {
    const append = sql`select toolwright.write_events('other', 'p', 'w', 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', null, null, null)`;
    await expect(test.database.asTenant("acme", (query) => append.execute(query))).rejects.toThrow(/permission denied|lacks a right/);
  });
});

describe("the event log of two processes on one server", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("stays gapless and whole when both write to the same sessions in any order, and neither waits for the other for ever", async () => {
    const logs = [test.database, await test.reopen(), await test.reopen()].map((database, index) =>
      createPostgresEventLog(database, `p${index}`),
    );
    const sessions = Array.from({ length: 12 }, (_, index) => `shared ${index}`);
    await Promise.all(
      logs.flatMap((log, index) =>
        Array.from({ length: 40 }, (_, round) => {
          const order = sessions.toSorted((a, b) => (a + index + round < b + index + round ? -1 : 1) * (round % 2 ? 1 : -1));
          return log.append(order.map((session) => event(session, round * 10 + index)));
        }),
      ),
    );
    for (const session of sessions) {
      const stored = await logs[0]?.read({ tenant: "acme", session });
      expect(stored?.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect(findBrokenLink(stored ?? [])).toBeUndefined();
    }
  });
});
