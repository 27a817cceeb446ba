import type { CallEvent } from "@toolwright/engine";
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
});
