import type { EventType } from "@toolwright/engine";
import { anchorHeads } from "@toolwright/engine/ports";
import { makeEvent, readAll } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresArtifactStore } from "../artifacts/postgres-artifact-store.ts";
import { createPostgresSessionStore } from "../sessions/postgres-session-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTurns } from "../turns/postgres-turns.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";
import { createPostgresSessionReader } from "./postgres-session-reader.ts";
import { removeOldSessions } from "./remove-old-sessions.ts";
import { verifyLog } from "./verify-log.ts";

describe.each(testDatabaseKinds)("retention, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  beforeEach(async () => {
    await sql`truncate toolwright.sessions, toolwright.events, toolwright.calls_in_flight, toolwright.artifact_contents, toolwright.turns, toolwright.messages cascade`.execute(
      test.database.owner,
    );
  });
  afterAll(() => test.cleanup());

  it("removes whole old sessions with their artifacts, and the log still says that it is whole and what was removed", async () => {
    const { database } = test;
    const log = createPostgresEventLog(database, "p1");
    const artifacts = createPostgresArtifactStore(database);
    const keep = async (session: string, text: string) => {
      const writer = await artifacts.create({ tenant: "acme", session, callId: "c" }, { name: "a", mediaType: "text/plain" });
      await writer.write(Buffer.from(text));
      return writer.finish();
    };
    const add = (session: string, at: number) =>
      log.append([1, 2, 3].map((n) => makeEvent({ type: "tool.completed", session, at: at + n, callId: `${session}_${at}_${n}` })));
    await add("old", 1_000);
    await add("new", Date.now());
    await sql`update toolwright.sessions set written_at = last_at where session = 'old'`.execute(database.owner);
    const [own, shared] = [await keep("old", "only here"), await keep("old", "in both")];
    const stays = await keep("new", "in both");
    const anchor = await anchorHeads(createPostgresSessionReader(database), { at: 1 });

    const counts = await removeOldSessions(database, { before: Date.now() - 60_000, dryRun: true });
    expect(counts).toEqual({ sessions: 1, events: 3, artifacts: 2, messages: 0 });
    expect(await removeOldSessions(database, { before: Date.now() - 60_000 })).toEqual({
      sessions: 1,
      events: 3,
      artifacts: 2,
      messages: 0,
    });
    expect(await removeOldSessions(database, { before: Date.now() - 60_000 })).toEqual({
      sessions: 0,
      events: 0,
      artifacts: 0,
      messages: 0,
    });
    for (const { id } of [own, shared]) await expect(artifacts.read("acme", id)).rejects.toMatchObject({ code: "artifact_not_found" });
    expect(Buffer.from((await artifacts.read("acme", stays.id)).bytes).toString()).toBe("in both");

    const verify = () => readAll(verifyLog(database, { anchor }));
    expect(await verify()).toMatchObject([
      { session: "new", events: 3, faults: [] },
      { session: "old", events: 0, faults: [], removed: { through: 3, at: expect.any(Number) } },
    ]);
    await add("old", Date.now());
    expect((await log.read({ tenant: "acme", session: "old" })).map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
    expect(await verify()).toMatchObject([{ faults: [] }, { session: "old", events: 3, faults: [], removed: { through: 3 } }]);
  });

  const before = () => Date.now() - 60_000;
  /** An event and an artifact of a session, and how much of both is left of each tenant. */
  const add = async (tenant: string, type: EventType) => {
    await createPostgresEventLog(test.database, "p1").append([makeEvent({ type, tenant, callId: `call_${tenant}`, at: 1_000 })]);
    const owner = { tenant, session: "s1", callId: "c" };
    const writer = await createPostgresArtifactStore(test.database).create(owner, { name: "a", mediaType: "text/plain" });
    await writer.write(Buffer.from(tenant));
    await writer.finish();
  };
  const makeOld = (tenant: string) =>
    sql`update toolwright.sessions set written_at = last_at where tenant = ${tenant}`.execute(test.database.owner);
  const left = async () => {
    const { rows } = await sql<{ what: string }>`select 'event of ' || tenant as what from toolwright.events
      union all select 'artifact of ' || tenant from toolwright.artifacts order by 1`.execute(test.database.owner);
    return rows.map(({ what }) => what);
  };

  it("takes nothing of a session of that name which another tenant has (R-TN-3)", async () => {
    for (const tenant of ["acme", "other"]) await add(tenant, "tool.completed");
    await makeOld("acme");
    expect(await removeOldSessions(test.database, { before: before() })).toEqual({ sessions: 1, events: 1, artifacts: 1, messages: 0 });
    expect(await left()).toEqual(["artifact of other", "event of other"]);
  });

  it("spares no session for one of that name in which something runs for another tenant", async () => {
    await add("acme", "tool.started");
    await add("other", "tool.completed");
    for (const tenant of ["acme", "other"]) await makeOld(tenant);
    expect(await removeOldSessions(test.database, { before: before() })).toEqual({ sessions: 1, events: 1, artifacts: 1, messages: 0 });
    expect(await left()).toEqual(["artifact of acme", "event of acme"]);
  });

  it("takes conversations of which the log says nothing, with their turns, and none whose turn is open", async () => {
    const { database } = test;
    const [sessions, turns] = [createPostgresSessionStore(database), createPostgresTurns(database)];
    const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;
    const say = async (conversation: string, at: number, ends: boolean) => {
      const ref = { tenant: "acme", id: `${conversation} ${at}` };
      const turn = { ...ref, conversation, agent: "assistant", principal, callId: "c", createdAt: at };
      await turns.begin(turn, "Hello.", { holder: "p1", until: at });
      await turns.keepContext({ ...ref, holder: "p1" }, { until: 1 });
      if (ends) await turns.end({ ...ref, holder: "p1" }, { state: "done", text: "Hi.", settled: ["Hi."], usage: {}, at });
    };
    const listed = async () => (await sessions.list({ tenant: "acme" })).sessions.map(({ id }) => id);
    for (const id of ["over", "open", "used"]) {
      const times = { createdAt: 1_000, usedAt: 1_000 };
      await sessions.create({ tenant: "acme", id, kind: "chat", status: "open", ...times });
      await say(id, 2_000, id !== "open");
    }
    await say("used", Date.now(), true);
    await sql`update toolwright.sessions set written_at = last_at`.execute(database.owner);
    const counts = { sessions: 1, events: 0, artifacts: 0, messages: 2 };
    expect(await removeOldSessions(database, { before: before(), dryRun: true })).toEqual(counts);
    expect(await removeOldSessions(database, { before: before() })).toEqual(counts);
    expect(await removeOldSessions(database, { before: before() })).toEqual({ sessions: 0, events: 0, artifacts: 0, messages: 0 });
    expect((await turns.list("acme", {})).map(({ id }) => id.split(" ")[0])).toEqual(["used", "used", "open"]);
    expect(await turns.messages({ tenant: "acme", conversation: "over" })).toEqual([]);
    expect(await listed()).toEqual(["used", "open"]);
    const { rows } = await sql`select conversation from toolwright.contexts order by conversation`.execute(database.owner);
    expect(rows).toEqual([{ conversation: "open" }, { conversation: "used" }]);
    await say("over", Date.now(), true);
    expect((await turns.messages({ tenant: "acme", conversation: "over" })).map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect(await listed()).toContain("over");
    expect(await readAll(verifyLog(database, {}))).toMatchObject([{ faults: [] }, { faults: [] }, { faults: [] }]);
  });

  it("leaves a session that was written to lately, whatever times its events have", async () => {
    await add("acme", "tool.completed");
    expect(await removeOldSessions(test.database, { before: before() })).toEqual({ sessions: 0, events: 0, artifacts: 0, messages: 0 });
    expect(await left()).toEqual(["artifact of acme", "event of acme"]);
  });
});
