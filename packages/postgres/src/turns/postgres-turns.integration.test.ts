import { turnStreamConformance, turnsConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTurnStream } from "./postgres-turn-stream.ts";
import { createPostgresTurns } from "./postgres-turns.ts";

const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" } as const;
const turn = { agent: "assistant", principal, callId: "call_1", createdAt: 1_000 };

describe.each(testDatabaseKinds)("turns in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** The database of a server, as another process has it. */
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = kind === "server" ? await test.reopen() : test.database;
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await sql`truncate toolwright.turns, toolwright.messages, toolwright.contexts cascade`.execute(test.database.owner);
    return { turns: createPostgresTurns(test.database), reopen: async () => createPostgresTurns(other), cleanup: async () => {} };
  };
  for (const { name, run } of turnsConformance(open)) it(name, run);

  it("tells another process that one is to end, and keeps what the database cannot hold as text", async () => {
    const { turns } = await open();
    await turns.begin({ ...turn, tenant: "acme", id: "t1", conversation: "c1" }, {}, { holder: "p1", until: 0 });
    const heard = new Promise<void>((resolve) => {
      const stop = createPostgresTurns(other).follow("acme", (id) => {
        if (id !== "t1") return;
        stop();
        resolve();
      });
    });
    expect(await turns.cancel({ tenant: "acme", id: "t1" }, "No\u0000w.")).toMatchObject({ cancelReason: "No\uFFFDw." });
    await heard;
    await turns.end(
      { tenant: "acme", id: "t1", holder: "p1" },
      { state: "cancelled", text: "a\u0000b", settled: [], usage: {}, at: 2_000 },
    );
    expect(await turns.get({ tenant: "acme", id: "t1" })).toMatchObject({ text: "a\u0000b" });
    expect(await turns.get({ tenant: "acme", id: "t\u0000" })).toBeUndefined();
    expect(await turns.list("acme", { states: [] })).toEqual([]);
  });

  it("lists a turn that waits for an approval which is over, once its call has had the time to go on with it", async () => {
    const { turns } = await open();
    const ref = { tenant: "acme", id: "t1" };
    await turns.begin({ ...turn, ...ref, conversation: "c1" }, {}, { holder: "p1", until: 5_000 });
    await turns.wait({ ...ref, holder: "p1" }, { waitsFor: ["apr_1", "apr_2"], results: {}, usage: {} });
    const ask = (id: string, settledAt: number | undefined) =>
      sql`insert into toolwright.approvals (tenant, approval, call_id, record, created_at, expires_at, settled_at) values
        ('acme', ${id}, 'c', '{}', 'epoch', ${new Date(60_000)}, ${settledAt === undefined ? null : new Date(settledAt)})`.execute(
        test.database.owner,
      );
    const lostAt = async (now: number) => (await turns.lost({ now, limit: 9 })).map(({ id }) => id);
    await ask("apr_1", 10_000);
    expect(await lostAt(900_000)).toEqual([]);
    await ask("apr_2", undefined);
    expect([await lostAt(74_999), await lostAt(75_000)]).toEqual([[], ["t1"]]);
    await sql`update toolwright.approvals set settled_at = ${new Date(20_000)} where approval = 'apr_2'`.execute(test.database.owner);
    expect([await lostAt(34_999), await lostAt(35_000)]).toEqual([[], ["t1"]]);
    expect(await turns.take(ref, { holder: "p2", until: 50_000 }, 35_000)).toMatchObject({ waitedFor: ["apr_1", "apr_2"] });
    expect(await lostAt(36_000)).toEqual([]);
  });

  const openStream = async () => {
    const { turns } = await open();
    for (const tenant of ["acme", "other"])
      for (const id of ["t1", "t2"]) await turns.begin({ ...turn, tenant, id, conversation: id }, {}, { holder: "p1", until: 0 });
    const stream = createPostgresTurnStream(test.database);
    return { stream, reopen: async () => createPostgresTurnStream(other), cleanup: async () => {} };
  };
  for (const { name, run } of turnStreamConformance(openStream)) it(`what people see of them: ${name}`, run);
});
