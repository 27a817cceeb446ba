import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { vectorSchema } from "../vectors/vector-source.ts";
import { findUnprotected, tablesOfTheDatabase } from "./find-unprotected.ts";

describe.each(testDatabaseKinds)("row-level security, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("is on and forced for every table, each with a policy (R-TN-3)", async () => {
    expect(await findUnprotected(test.database)).toEqual([]);
  });

  it.each(["toolwright", vectorSchema])("is found missing on a table that was forgotten, in the schema %s", async (schema) => {
    const { owner } = test.database;
    const forgotten = sql.table(`${schema}.forgotten`);
    await sql`create schema if not exists ${sql.id(schema)}`.execute(owner);
    await sql`create table ${forgotten} (tenant text)`.execute(owner);
    expect(await findUnprotected(test.database)).toEqual([`${schema}.forgotten`]);
    await sql`alter table ${forgotten} enable row level security`.execute(owner);
    await sql`alter table ${forgotten} force row level security`.execute(owner);
    expect(await findUnprotected(test.database)).toEqual([`${schema}.forgotten`]);
    await sql`drop table ${forgotten}`.execute(owner);
  });

  it("holds for the tables of the database itself: no role of ours reads them", async () => {
    for (const table of tablesOfTheDatabase)
      await expect(
        test.database.asTenant("acme", (query) => sql`select from ${sql.table(`toolwright.${table}`)}`.execute(query)),
      ).rejects.toThrow();
  });

  it("gives our roles no way around it", async () => {
    const { rows } =
      await sql`select rolname, rolsuper, rolbypassrls, rolcanlogin from pg_roles where rolname like 'toolwright%' order by 1`.execute(
        test.database.owner,
      );
    const none = { rolsuper: false, rolbypassrls: false, rolcanlogin: false };
    expect(rows).toEqual([
      { rolname: "toolwright_system", ...none },
      { rolname: "toolwright_tenant", ...none },
    ]);
  });

  it("ends with the transaction: the next one has no tenant and no role", async () => {
    await test.database.asTenant("acme", (query) => sql`select 1`.execute(query));
    const { rows } = await sql`select current_setting('role') as role, current_setting('toolwright.tenant', true) as tenant`.execute(
      test.database.owner,
    );
    expect(rows[0]).toMatchObject({ role: "none" });
    expect(["", null]).toContain((rows[0] as { tenant: string | null }).tenant);
  });
});
