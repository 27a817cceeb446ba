import { randomUUID } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { vectorSchema } from "../vectors/vector-source.ts";
import type { Database } from "./database.ts";
import { findUnprotected, tablesOfTheDatabase } from "./find-unprotected.ts";
import { openServer } from "./open-server.ts";
import type { Tables } from "./tables.ts";

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

  const settings = sql<{ role: string; tenant: string }>`select current_setting('role') as role,
    coalesce(current_setting('toolwright.tenant', true), '') as tenant`;
  const settingsOfOwner = async () => (await settings.execute(test.database.owner)).rows[0];

  it("ends with the transaction: the next one has no tenant and no role", async () => {
    await test.database.asTenant("acme", (query) => sql`select 1`.execute(query));
    expect(await settingsOfOwner()).toEqual({ role: "none", tenant: "" });
    await expect(test.database.asTenant("acme", (query) => sql`select 1 / 0`.execute(query))).rejects.toThrow();
    expect(await settingsOfOwner()).toEqual({ role: "none", tenant: "" });
  });

  it.each(["o'brien", "\\", "\\' or 1", "a'; set role toolwright_system; --", "$1", "ünïcøde", ""])(
    "takes the tenant %j as it is",
    async (tenant) => {
      const { rows } = await test.database.asTenant(tenant, (query) => settings.execute(query));
      expect(rows).toEqual([{ role: "toolwright_tenant", tenant }]);
      expect(await settingsOfOwner()).toEqual({ role: "none", tenant: "" });
    },
  );

  it("runs nothing without its role when it cannot begin, and leaves nothing of it", async () => {
    const { database, close } = await openWithoutRoles(test);
    let ran = false;
    const work = async () => {
      ran = true;
    };
    try {
      await expect(database.asTenant("a\0b", work)).rejects.toMatchObject({ code: "22021" });
      for (const begin of [() => database.asTenant("acme", work), () => database.asSystem(work)]) {
        await expect(begin()).rejects.toThrow();
        // It would fail in a transaction that is left over.
        const { rows } = await settings.execute(database.owner);
        expect(rows).toEqual([{ role: "none", tenant: "" }]);
      }
      expect(ran).toBe(false);
    } finally {
      await close();
    }
  });

  it("is judged anew by each tenant and role that runs the same statement", async () => {
    const read = (query: Kysely<Tables>) =>
      sql<{ tenant: string }>`select tenant from toolwright.tenants where tenant <> ${"none"} order by 1`.execute(query);
    const tenantsOf = async (reading: ReturnType<typeof read>) => (await reading).rows.map(({ tenant }) => tenant);
    for (let round = 0; round < 8; round += 1) {
      expect(await tenantsOf(test.database.asTenant("acme", read))).toEqual(["acme"]);
      expect(await tenantsOf(test.database.asTenant("other", read))).toEqual(["other"]);
      expect(await tenantsOf(test.database.asSystem(read))).toEqual(["acme", "default", "other"]);
    }
  });

  it("can be tried again where a kept statement finds other columns than before", async () => {
    const { owner } = test.database;
    await sql`create table public.changing (id int)`.execute(owner);
    await sql`grant select on public.changing to toolwright_system`.execute(owner);
    const read = () => test.database.asSystem((query) => sql`select * from public.changing where id <> ${0}`.execute(query));
    for (let round = 0; round < 3; round += 1) await read();
    await sql`alter table public.changing add column more text`.execute(owner);
    await expect(read()).rejects.toMatchObject({ code: "store_unreachable", message: expect.stringContaining("It can be tried again.") });
    for (let round = 0; round < 3; round += 1) expect((await read()).rows).toEqual([]);
    await sql`drop table public.changing`.execute(owner);
  });
});

/** A database whose transactions can begin and not take their role: a login of a server that has none of ours, or a folder without them. */
async function openWithoutRoles({ url, database }: TestDatabase): Promise<{ readonly database: Database; close(): Promise<void> }> {
  if (url === undefined) {
    const rename = (from: string, to: string) => sql`alter role ${sql.id(from)} rename to ${sql.id(to)}`.execute(database.owner);
    const roles = ["toolwright_tenant", "toolwright_system"] as const;
    for (const role of roles) await rename(role, `${role}_away`);
    return {
      database,
      async close() {
        for (const role of roles) await rename(`${role}_away`, role);
      },
    };
  }
  const name = `login_${randomUUID().replaceAll("-", "")}`;
  await sql`create role ${sql.id(name)} login password ${sql.lit(name)}`.execute(database.owner);
  const opened = await openServer(Object.assign(new URL(url), { username: name, password: name }).href, { connections: 1 });
  return {
    database: opened,
    async close() {
      await opened.close();
      await sql`drop role ${sql.id(name)}`.execute(database.owner);
    },
  };
}
