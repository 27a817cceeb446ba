import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createPostgresSessionStore } from "../sessions/postgres-session-store.ts";
import { openEmptyDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { migrate, readMigrationState } from "./migrate.ts";
import { parseMigration, readMigrations } from "./read-migrations.ts";

const extra = (name: string, text: string) => parseMigration(name, text);

describe.each(testDatabaseKinds)("migrations, %s", (kind) => {
  let test: TestDatabase;
  const open = async () => {
    test = await openEmptyDatabase(kind);
    return test.database.owner;
  };
  afterEach(() => test.cleanup());

  it("bring an empty database to this version, once", async () => {
    const db = await open();
    expect(await migrate(db)).toEqual(readMigrations().map(({ name }) => name));
    expect(await migrate(db)).toEqual([]);
    expect(await readMigrationState(db)).toMatchObject({ pending: [], unknown: [], changed: [] });
  });

  it("go on from the first version with its data", async () => {
    const db = await open();
    await migrate(db, { files: readMigrations().slice(0, 1) });
    await sql`insert into toolwright.tenants (tenant, name) values ('kept', 'Kept')`.execute(db);
    await migrate(db);
    expect((await sql<{ name: string }>`select name from toolwright.tenants where tenant = 'kept'`.execute(db)).rows).toEqual([
      { name: "Kept" },
    ]);
  });

  it("go on from the version before sessions had owners: every chain is whole, and goes on", async () => {
    const db = await open();
    await migrate(db, { files: readMigrations().filter(({ name }) => name < "0020") });
    for (const tenant of ["acme", "other"])
      await sql`insert into toolwright.tenants (tenant, name) values (${tenant}, ${tenant}) on conflict do nothing`.execute(db);
    const log = createPostgresEventLog(test.database, "prc_1");
    const write = (tenant: string, session: string, calls: readonly string[]) =>
      log.append(
        calls.flatMap((callId) => {
          const facts = { tenant, session, callId, actor: { kind: "user", id: "ann" }, door: "cli", tool: "add", at: 1, data: {} } as const;
          return [
            { ...facts, type: "tool.started" as const },
            { ...facts, type: "tool.completed" as const },
          ];
        }),
      );
    const verify = async () => {
      const reports: object[] = [];
      for await (const { tenant, session, events, faults } of verifyLog(test.database, {}))
        reports.push({ tenant, session, events, faults });
      return reports;
    };
    await write("acme", "chat", ["call_1", "call_2"]);
    await write("acme", "form", ["call_3"]);
    await write("other", "chat", ["call_4"]);
    const of = (tenant: string, session: string, events: number) => ({ tenant, session, events, faults: [] });
    await migrate(db);
    expect(await verify()).toEqual([of("acme", "chat", 4), of("acme", "form", 2), of("other", "chat", 2)]);
    await write("acme", "chat", ["call_5"]);
    expect(await verify()).toEqual([of("acme", "chat", 6), of("acme", "form", 2), of("other", "chat", 2)]);
    expect(await createPostgresSessionStore(test.database).find({ tenant: "acme", id: "chat" })).toMatchObject({
      kind: "calls",
      status: "open",
    });
  });

  it("keep the bounds of a sub-agent's job under the name that they have now, and nothing else of it", async () => {
    const db = await open();
    await migrate(db, { files: readMigrations().filter(({ name }) => name < "0029") });
    await sql`insert into toolwright.tenants (tenant, name) values ('acme', 'Acme')`.execute(db);
    const from = { tenant: "acme", attributes: { note: '"grant":{' } };
    const write = (job: string, principal: object) =>
      sql`insert into toolwright.jobs (tenant, job, owner, session, principal, tool, input, state, request_digest, retry, run_at, created_at)
        values ('acme', ${job}, 'user ann', 's', ${JSON.stringify(principal)}, 'add', '{}', 'queued', 'd', '{}', now(), now())`.execute(db);
    await write("bounded", {
      ...from,
      delegated: { from: { ...from, delegated: { from, grant: { tools: ["a"] } } }, grant: { tools: ["b"] } },
    });
    await write("plain", { ...from, attributes: { grant: {} } });
    await migrate(db);
    const { rows } = await sql<{ principal: object }>`select principal from toolwright.jobs order by job`.execute(db);
    expect(rows.map(({ principal }) => principal)).toEqual([
      { ...from, delegated: { from: { ...from, delegated: { from, assignment: { tools: ["a"] } } }, assignment: { tools: ["b"] } } },
      { ...from, attributes: { grant: {} } },
    ]);
  });

  it("take back a migration that fails half-way, and say which", async () => {
    const db = await open();
    const broken = extra(
      "9999_broken",
      "-- breaking: no\ncreate table toolwright.half (a int);\n--> statement-breakpoint\nselect no_such_function()",
    );
    await expect(migrate(db, { files: [...readMigrations(), broken] })).rejects.toThrow(
      /9999_broken failed and was taken back.*no_such_function/s,
    );
    const { rows } = await sql<{ there: boolean }>`select to_regclass('toolwright.half') is not null as there`.execute(db);
    expect(rows).toEqual([{ there: false }]);
    await migrate(db);
    expect((await readMigrationState(db)).pending).toEqual([]);
  });

  it("are refused when they stop processes of the version before, until they are asked for", async () => {
    const db = await open();
    await migrate(db);
    const files = [...readMigrations(), extra("9999_drop", "-- breaking: yes\nselect 1")];
    await expect(migrate(db, { files })).rejects.toMatchObject({ code: "store_outdated" });
    expect(await migrate(db, { files, breaking: true })).toEqual(["9999_drop"]);
    await expect(migrate(db)).rejects.toMatchObject({ code: "store_newer" });
  });

  it("leave a database alone that a newer version changed in ways that this one can live with", async () => {
    const db = await open();
    await migrate(db, { files: [...readMigrations(), extra("9999_more", "-- breaking: no\nselect 1")] });
    expect(await migrate(db)).toEqual([]);
    expect((await readMigrationState(db)).unknown.map(({ name }) => name)).toEqual(["9999_more"]);
  });

  it("notice a file that changed after it was applied", async () => {
    const db = await open();
    await migrate(db, { files: [...readMigrations(), extra("9999_more", "-- breaking: no\nselect 1")] });
    await expect(migrate(db, { files: [...readMigrations(), extra("9999_more", "-- breaking: no\nselect 2")] })).rejects.toThrow(
      /9999_more.*another text/,
    );
  });
});

describe("three processes at once", () => {
  it("migrate one server together: each step is applied once", async () => {
    const test = await openEmptyDatabase("server");
    try {
      const handles = [test.database, await test.reopen(), await test.reopen()];
      const applied = await Promise.all(handles.map(({ owner }) => migrate(owner)));
      expect(applied.flat().sort()).toEqual(readMigrations().map(({ name }) => name));
    } finally {
      await test.cleanup();
    }
  });
});

describe("a migration file", () => {
  it.each([
    ["no word on breaking", "0001_a", "select 1", /first line/],
    ["a name without number", "a", "-- breaking: no\nselect 1", /four digits/],
    ["an empty statement", "0001_a", "-- breaking: no\nselect 1\n--> statement-breakpoint\n-- nothing\n", /statement 2 is empty/],
  ])("with %s is refused", (_, name, text, words) => {
    expect(() => parseMigration(name, text)).toThrow(words);
  });
});

describe("migrations on a server, by a user who lacks a right", () => {
  const user = `weak_${randomUUID().replaceAll("-", "")}`;
  let test: TestDatabase;
  let weak: Database;
  const asAdministrator = (statement: string) => sql.raw(statement).execute(test.database.owner);
  beforeEach(async () => {
    test = await openEmptyDatabase("server");
    await asAdministrator(`create role ${user} login`);
    weak = await openServer(Object.assign(new URL(test.url as string), { username: user }).href);
  });
  afterEach(async () => {
    await weak.close();
    await asAdministrator(`drop owned by ${user} cascade; alter database ${database()} owner to current_user; drop role ${user}`);
    await test.cleanup();
  });
  const database = () => new URL(test.url as string).pathname.slice(1);

  it("say what the administrator has to give, and then go through", async () => {
    const owning = `ALTER DATABASE ${database()} OWNER TO ${user}; ALTER ROLE ${user} CREATEROLE;`;
    const granting = `GRANT toolwright_tenant, toolwright_system TO ${user} WITH ADMIN OPTION;`;
    for (const remedy of [owning, granting]) {
      const error = await migrate(weak.owner).catch((reason: Error) => reason);
      expect(error).toMatchObject({ code: "store_failed", message: expect.stringMatching(/PostgreSQL says: permission denied/) });
      expect((error as Error).message).toContain(remedy);
      await asAdministrator(remedy);
    }
    expect(await migrate(weak.owner)).toHaveLength(readMigrations().length);
  });

  it("are not even looked for in tables of somebody else", async () => {
    await migrate(test.database.owner);
    await expect(migrate(weak.owner)).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining("lacks a right") });
  });
});
