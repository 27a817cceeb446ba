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
        reports.push({ tenant, session, events, faults });
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
