import type { EventLog } from "@toolwright/engine/ports";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Tables } from "../database/tables.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createPostgresSessionStore } from "../sessions/postgres-session-store.ts";
import { openEmptyDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { migrate } from "./migrate.ts";
import { readMigrations } from "./read-migrations.ts";

const owned = { tenant: "acme", attributes: { note: '"grant":{' } };
const files = (before: string) => readMigrations().filter(({ name }) => name < before);

/** One database goes through the versions and gets data at each: to begin anew for each costs a second. */
describe.each(testDatabaseKinds)("data of older versions, %s", (kind) => {
  let test: TestDatabase;
  let log: EventLog;
  beforeAll(async () => {
    test = await openEmptyDatabase(kind);
    const db = test.database.owner;
    await migrate(db, { files: readMigrations().slice(0, 1) });
    await sql`insert into toolwright.tenants (tenant, name) values ('kept', 'Kept'), ('acme', 'Acme'), ('other', 'Other')`.execute(db);
    await migrate(db, { files: files("0020") });
    log = createPostgresEventLog(test.database, "prc_1");
    await writeCalls(log, { tenant: "acme", session: "chat" }, ["call_1", "call_2"]);
    await writeCalls(log, { tenant: "acme", session: "form" }, ["call_3"]);
    await writeCalls(log, { tenant: "other", session: "chat" }, ["call_4"]);
    await migrate(db, { files: files("0029") });
    await writeJob(db, "bounded", {
      ...owned,
      delegated: { from: { ...owned, delegated: { from: owned, grant: { tools: ["a"] } } }, grant: { tools: ["b"] } },
    });
    await writeJob(db, "plain", { ...owned, attributes: { grant: {} } });
    await migrate(db, { files: files("0047") });
    await writeOldSessions(db);
    await migrate(db);
  });
  afterAll(() => test.cleanup());

  it("are there: of the first one", async () => {
    const { rows } = await sql<{ name: string }>`select name from toolwright.tenants where tenant = 'kept'`.execute(test.database.owner);
    expect(rows).toEqual([{ name: "Kept" }]);
  });

  it("are there: of the one before sessions had owners, whose every chain is whole and goes on", async () => {
    const verify = async () => {
      const reports: object[] = [];
      for await (const { tenant, session, events, faults } of verifyLog(test.database, {}))
        if (tenant !== "kept") reports.push({ tenant, session, events, faults });
      return reports;
    };
    const of = (tenant: string, session: string, events: number) => ({ tenant, session, events, faults: [] });
    expect(await verify()).toEqual([of("acme", "chat", 4), of("acme", "form", 2), of("other", "chat", 2)]);
    await writeCalls(log, { tenant: "acme", session: "chat" }, ["call_5"]);
    expect(await verify()).toEqual([of("acme", "chat", 6), of("acme", "form", 2), of("other", "chat", 2)]);
    expect(await createPostgresSessionStore(test.database).find({ tenant: "acme", id: "chat" })).toMatchObject({
      kind: "calls",
      status: "open",
    });
  });

  it("are there: sessions without an owner, which get the actor of their first event, who calls them by their id", async () => {
    const { rows } =
      await sql`select session, owner, name, shared_with from toolwright.sessions where tenant = 'kept' order by session`.execute(
        test.database.owner,
      );
    expect(rows).toEqual(
      oldSessions
        .map(({ session, owner, name }) => ({ session, owner: owner ?? null, name: name ?? null, shared_with: [] }))
        .sort((one, other) => (one.session < other.session ? -1 : 1)),
    );
    const store = createPostgresSessionStore(test.database);
    expect(await store.named({ tenant: "kept", owner: "ann", name: "chat-1" })).toBe("chat-1");
    expect(await store.named({ tenant: "kept", owner: "service:key:1", name: "chat-1" })).toBeUndefined();
  });

  it("are there: the bounds of a sub-agent's job under the name that they have now, and nothing else of it is changed", async () => {
    const { rows } = await sql<{ principal: object }>`select principal from toolwright.jobs order by job`.execute(test.database.owner);
    expect(rows.map(({ principal }) => principal)).toEqual([
      {
        ...owned,
        delegated: { from: { ...owned, delegated: { from: owned, assignment: { tools: ["a"] } } }, assignment: { tools: ["b"] } },
      },
      { ...owned, attributes: { grant: {} } },
    ]);
  });
});

interface OldSession {
  readonly session: string;
  /** Kind and id of the actors of its first events. */
  readonly actors: readonly (readonly [kind: string, id: string])[];
  /** The door that its events came by; default rest. */
  readonly door?: string;
  /** Sequence of the first event that retention left; default 1. */
  readonly from?: number;
  readonly ownerBefore?: string;
  /** What the migration makes of it. */
  readonly owner?: string;
  readonly name?: string;
}

const drawn = "ses_5Kq0";
const longest = "n".repeat(200);
const ann = ["user", "ann"] as const;
const key = ["service", "key:1"] as const;
const oldSessions: readonly OldSession[] = [
  { session: "chat-1", actors: [ann, key], owner: "ann", name: "chat-1" },
  { session: "rest-0a1b2c", actors: [ann], owner: "ann", name: "rest-0a1b2c" },
  { session: "of a program", actors: [key, ann], owner: "service:key:1", name: "of a program" },
  { session: "of an agent", actors: [["agent", "reviewer"]], owner: "agent:reviewer", name: "of an agent" },
  {
    session: "of a person named as a program",
    actors: [["user", "service:key:1"]],
    owner: "user:service:key:1",
    name: "of a person named as a program",
  },
  { session: drawn, actors: [ann], owner: "ann" },
  { session: "sesame", actors: [ann], owner: "ann", name: "sesame" },
  { session: longest, actors: [ann], owner: "ann", name: longest },
  { session: `${longest}n`, actors: [ann], owner: "ann" },
  { session: "begun by an operation", actors: [], ownerBefore: "bob", owner: "bob", name: "begun by an operation" },
  { session: "of bob, called by ann", actors: [ann], ownerBefore: "bob", owner: "bob", name: "of bob, called by ann" },
  { session: "without events", actors: [] },
  { session: "without its first event", actors: [ann], from: 3 },
  { session: "of a coding agent's hook", actors: [["agent", "claude"], ann], door: "hook" },
  { session: "of a person's hook", actors: [ann], door: "hook" },
  {
    session: "of bob, used by a hook",
    actors: [["agent", "claude"]],
    door: "hook",
    ownerBefore: "bob",
    owner: "bob",
    name: "of bob, used by a hook",
  },
];

/** Rows as the versions before wrote them: the store of today knows columns that they lack. */
async function writeOldSessions(db: Kysely<Tables>): Promise<void> {
  for (const { session, actors, door = "rest", from = 1, ownerBefore } of oldSessions) {
    await sql`insert into toolwright.sessions (tenant, session, owner, created_at, last_at)
      values ('kept', ${session}, ${ownerBefore ?? null}, now(), now())`.execute(db);
    for (const [index, [kind, id]] of actors.entries())
      await sql`insert into toolwright.events (tenant, session, sequence, at, type, call_id, tool, actor_kind, actor_id, door, data, previous, hash, process)
        values ('kept', ${session}, ${from + index}, now(), 'tool.started', ${`call_${session}`}, 'add', ${kind}, ${id}, ${door}, '{}', '', ${`hash ${session} ${index}`}, 'prc_1')`.execute(
        db,
      );
  }
}

async function writeCalls(log: EventLog, where: { tenant: string; session: string }, calls: readonly string[]): Promise<void> {
  await log.append(
    calls.flatMap((callId) => {
      const facts = { ...where, callId, actor: { kind: "user", id: "ann" }, door: "cli", tool: "add", at: 1, data: {} } as const;
      return [
        { ...facts, type: "tool.started" as const },
        { ...facts, type: "tool.completed" as const },
      ];
    }),
  );
}

async function writeJob(db: Kysely<Tables>, job: string, principal: object): Promise<void> {
  await sql`insert into toolwright.jobs (tenant, job, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at)
    values ('acme', ${job}, 'user ann', 's', ${JSON.stringify(principal)}, 'add', '{}', 'queued', 'd', '{}', now(), now())`.execute(db);
}
