import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
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
