import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { migrate, readMigrationState } from "./migrate.ts";
import { parseMigration, readMigrations } from "./read-migrations.ts";

const extra = (name: string, text: string) => parseMigration(name, text);

describe.each(testDatabaseKinds)("migrations, %s", (kind) => {
  let test: TestDatabase;
  const open = async (openDatabase: typeof openTestDatabase) => {
    test = await openDatabase(kind);
    return test.database.owner;
  };
  afterEach(() => test.cleanup());

  it("are taken back when one fails half-way, which they say, and then bring an empty database to this version, once", async () => {
    const db = await open(openEmptyDatabase);
    const broken = extra(
      "9999_broken",
      "-- breaking: no\ncreate table toolwright.half (a int);\n--> statement-breakpoint\nselect no_such_function()",
    );
    await expect(migrate(db, { files: [...readMigrations().slice(0, 1), broken] })).rejects.toThrow(
      /9999_broken failed and was taken back.*no_such_function/s,
    );
    const { rows } = await sql<{ there: boolean }>`select to_regclass('toolwright.half') is not null as there`.execute(db);
    expect(rows).toEqual([{ there: false }]);
    expect(await migrate(db)).toEqual(readMigrations().map(({ name }) => name));
    expect(await migrate(db)).toEqual([]);
    expect(await readMigrationState(db)).toMatchObject({ pending: [], unknown: [], changed: [] });
  });

  it("are refused when they stop processes of the version before, until they are asked for", async () => {
    const db = await open(openTestDatabase);
    const files = [...readMigrations(), extra("9999_drop", "-- breaking: yes\nselect 1")];
    await expect(migrate(db, { files })).rejects.toMatchObject({ code: "store_outdated" });
    expect(await migrate(db, { files, breaking: true })).toEqual(["9999_drop"]);
    await expect(migrate(db)).rejects.toMatchObject({ code: "store_newer" });
  });

  it("leave a database alone that a newer version changed in ways that this one can live with", async () => {
    const db = await open(openTestDatabase);
    await migrate(db, { files: [...readMigrations(), extra("9999_more", "-- breaking: no\nselect 1")] });
    expect(await migrate(db)).toEqual([]);
    expect((await readMigrationState(db)).unknown.map(({ name }) => name)).toEqual(["9999_more"]);
  });

  it("notice a file that changed after it was applied", async () => {
    const db = await open(openTestDatabase);
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
    expect(() => parseMigration(name, text).statements).toThrow(words);
  });
});

describe("migrations on a server, by a user who lacks a right", () => {
  const user = `weak_${randomUUID().replaceAll("-", "")}`;
  let test: TestDatabase;
  let weak: Database;
  const asAdministrator = (statement: string) => sql.raw(statement).execute(test.database.owner);
  const open = async (openDatabase: typeof openTestDatabase) => {
    test = await openDatabase("server");
    await asAdministrator(`create role ${user} login`);
    weak = await openServer(Object.assign(new URL(test.url as string), { username: user }).href);
  };
  afterEach(async () => {
    await weak.close();
    await asAdministrator(`drop owned by ${user} cascade; alter database ${database()} owner to current_user; drop role ${user}`);
    await test.cleanup();
  });
  const database = () => new URL(test.url as string).pathname.slice(1);

  it("say what the administrator has to give, and then go through", async () => {
    await open(openEmptyDatabase);
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
    await open(openTestDatabase);
    await expect(migrate(weak.owner)).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining("lacks a right") });
  });
});
