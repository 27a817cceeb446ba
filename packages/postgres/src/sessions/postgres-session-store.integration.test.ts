import { createEngine, declareEvents } from "@toolwright/engine";
import type { SessionName } from "@toolwright/engine/ports";
import { makeCall, makeEvent, readAll, sessionStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createChainHeads } from "../events/chain-heads.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { removeOldSessions } from "../events/remove-old-sessions.ts";
import { verifyLog } from "../events/verify-log.ts";
import { migrate } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { listRuns } from "../runs/list-runs.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresSessionStore } from "./postgres-session-store.ts";

describe.each(testDatabaseKinds)("sessions in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.events`.execute(query));
    await test.database.asSystem((query) => sql`delete from toolwright.sessions`.execute(query));
    const log = createPostgresEventLog(test.database, "p1");
    return {
      log,
      store: createPostgresSessionStore(test.database),
      use: ({ tenant, id }: SessionName, at: number) => log.append([makeEvent({ type: "tool.completed", tenant, session: id, at })]),
      reopen: async () => createPostgresSessionStore(test.database),
    };
  };
  for (const { name, run } of sessionStoreConformance(open)) it(name, run);

  it("tells the log where the chain of a session ends that it looked for, and a chain that others moved since stays whole", async () => {
    const { use } = await open();
    const heads = createChainHeads();
    const [store, log] = [createPostgresSessionStore(test.database, { heads }), createPostgresEventLog(test.database, "p2", { heads })];
    const name = { tenant: "acme", id: "s1" };
    await use(name, 1);
    await use(name, 2);
    await store.usersOf(name);
    const [, second] = await log.read({ tenant: "acme", session: "s1" });
    expect(heads.find("acme", "s1")).toEqual({ sequence: 2, hash: second?.hash });
    await use(name, 3);
    await log.append([makeEvent({ tenant: "acme", session: "s1", at: 4 }), makeEvent({ tenant: "acme", session: "s1", at: 5 })]);
    expect(await readAll(verifyLog(test.database, { tenant: "acme" }))).toMatchObject([{ session: "s1", events: 5, faults: [] }]);
  });

  it("has every session that the log has, of processes that know nothing of sessions too", async () => {
    const { store, use } = await open();
    await use({ tenant: "acme", id: "old" }, 5_000);
    expect(await store.find({ tenant: "acme", id: "old" })).toEqual({
      ...{ tenant: "acme", id: "old", kind: "calls", status: "open", createdAt: 5_000, usedAt: 5_000 },
    });
    expect(await store.ensure({ tenant: "acme", id: "old" }, { owner: "ann", at: 6_000 })).toEqual({});
  });

  it("begins the chain of a session that was made before its first event, and the chain is whole", async () => {
    const { store, use } = await open();
    const chat = { tenant: "acme", id: "chat", owner: "ann", kind: "chat", status: "open", createdAt: 1_000, usedAt: 1_000 } as const;
    await store.create(chat);
    await use(chat, 2_000);
    await use(chat, 3_000);
    expect(await readAll(verifyLog(test.database, { tenant: "acme" }))).toMatchObject([{ session: "chat", events: 2, faults: [] }]);
    expect(await store.find(chat)).toEqual({ ...chat, usedAt: 3_000 });
  });

  it("lists none whose log retention removed, and goes on with it where it is used again", async () => {
    const { store, use } = await open();
    await use({ tenant: "acme", id: "old" }, 5_000);
    await test.database.asSystem((query) => sql`update toolwright.sessions set written_at = last_at`.execute(query));
    await store.update({ tenant: "acme", id: "old" }, { title: "Offers" });
    await removeOldSessions(test.database, { before: 10_000, tenant: "acme" });
    expect((await store.list({ tenant: "acme" })).sessions).toEqual([]);
    await use({ tenant: "acme", id: "old" }, 20_000);
    const { sessions } = await store.list({ tenant: "acme" });
    expect(sessions).toMatchObject([{ id: "old", usedAt: 20_000 }]);
    expect(sessions[0]?.title).toBeUndefined();
  });

  it("refuses a call of somebody else in every process, and names no call in the log", async () => {
    const { store, reopen, log } = await open();
    await store.create({ tenant: "acme", id: "chat", owner: "ann", kind: "chat", status: "open", createdAt: 1, usedAt: 1 });
    const engine = createEngine({ sessions: await reopen(), events: log });
    const bob = { tenant: "acme", actor: { kind: "user", id: "bob" } } as const;
    const result = await engine.scope(bob, { session: "chat" }).invokeNamed("any", {});
    expect(result).toMatchObject({ status: "failed", error: { code: "session_not_found" } });
    expect(await log.read({ tenant: "acme", session: "chat" })).toEqual([]);
  });
});

describe.each(testDatabaseKinds)("a database of the version before sessions, %s", (kind) => {
  it("migrates while a process of that version writes: chains stay whole, and every session has its row", async () => {
    const test = await openEmptyDatabase(kind);
    try {
      await migrate(test.database.owner, { files: readMigrations().filter(({ name }) => name < "0020") });
      // The function that it writes with is the one of that version.
      const before = createPostgresEventLog(test.database, "p1");
      const call = (session: string, callId: string) => makeCall("tool.completed", { tenant: "default", session, callId });
      await before.append([...call("old", "c1"), ...call("older", "c2")]);
      await Promise.all([migrate(test.database.owner), before.append(call("old", "c3"))]);
      await before.append([...call("old", "c4"), ...call("new", "c5")]);
      const store = createPostgresSessionStore(test.database);
      const { sessions } = await store.list({ tenant: "default" });
      expect(sessions.map(({ id }) => id).sort()).toEqual(["new", "old", "older"]);
      for (const session of sessions) expect(session).toMatchObject({ kind: "calls", status: "open" });
      const reports = await readAll(verifyLog(test.database, {}));
      expect(reports.map(({ session, events, faults }) => [session, events, faults])).toEqual([
        ["new", 2, []],
        ["old", 6, []],
        ["older", 2, []],
      ]);
    } finally {
      await test.cleanup();
    }
  });
});

declareEvents("probe", ["step"]);

describe.each(testDatabaseKinds)("events that belong to no call, %s", (kind) => {
  it("stand in the chain of their session and are no runs, also where they name a call", async () => {
    const test = await openTestDatabase(kind);
    try {
      const log = createPostgresEventLog(test.database, "p1");
      const { callId, tool: _, ...facts } = makeEvent();
      const step = { ...facts, type: "probe.step" } as const;
      await log.append([step, { ...step, callId }, ...makeCall("tool.completed"), { ...step, callId }]);
      expect(await readAll(verifyLog(test.database, { tenant: "acme" }))).toMatchObject([{ events: 5, faults: [] }]);
      const { runs } = await listRuns(test.database, { tenant: "acme" });
      expect(runs).toMatchObject([{ id: callId, tool: "add", status: "success" }]);
      expect((await listRuns(test.database, { tenant: "acme", status: "success" })).runs).toHaveLength(1);
    } finally {
      await test.cleanup();
    }
  });
});
