import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FilledTable, fillTables } from "../testing/fill-tables.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { vectorSources, vectorTable } from "../vectors/vector-source.ts";

/** Rows of `default` that hold for every tenant, and that every tenant may therefore read. */
const readByAll: readonly string[] = ["tenant_tools"];

/** SQLSTATE of a missing right, and of a row that a policy refuses. */
const forbidden = "42501";

/** A transaction that says so sees the memories of every owner within its tenant. */
const everyOwner = "*";

describe.each(testDatabaseKinds)("the role of tenants without any filter, %s (R-TN-3)", (kind) => {
  let test: TestDatabase;
  let tables: readonly FilledTable[];
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    tables = await fillTables(test.database.owner, ["acme", "other", "default"]);
  });
  afterAll(() => test.cleanup());

  /** What a statement gives to the role; undefined where it may not do that at all. Nothing of it stays, and no trigger or reference has a say. */
  async function run(statement: RawBuilder<unknown>, tenant = "", owner = everyOwner): Promise<readonly string[] | undefined> {
    let rows: readonly string[] | undefined;
    const undo = new Error("undo");
    const trying = test.database.owner.transaction().execute(async (query) => {
      await sql`set local session_replication_role = replica`.execute(query);
      await sql`select set_config('role', 'toolwright_tenant', true), set_config('toolwright.tenant', ${tenant}, true),
        set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
      rows = (await statement.execute(query)).rows.map((row) => JSON.stringify(row));
      throw undo;
    });
    await trying.catch((error: unknown) => {
      if (error !== undo && (error as { code?: unknown }).code !== forbidden) throw error;
    });
    return rows;
  }

  const told = async (...given: Parameters<typeof run>) => (await run(...given)) ?? [];
  const nameOf = ({ name }: { readonly name: string }) => sql.table(`toolwright.${name}`);
  const foreign = (rows: readonly string[]) => rows.filter((row) => row.includes('"acme"'));
  /** The columns that the role may use that way. */
  const namesOf = async ({ name }: { readonly name: string }, right: "select" | "update") => {
    const { rows } = await sql<{ column: string }>`select attname as column from pg_attribute
      where attrelid = ${`toolwright.${name}`}::regclass and attnum > 0 and not attisdropped
        and has_column_privilege('toolwright_tenant', attrelid, attnum, ${right}) order by attnum`.execute(test.database.owner);
    return rows.map(({ column }) => column);
  };
  const columnsOf = async (table: { readonly name: string }, right: "select" | "update") =>
    (await namesOf(table, right)).map((column) => sql.ref(column));
  const readable = async (table: { readonly name: string }) => {
    const columns = await columnsOf(table, "select");
    return columns.length === 0 ? sql`1` : sql.join(columns);
  };
  const read = async (table: { readonly name: string }, tenant?: string, owner?: string) =>
    told(sql`select ${await readable(table)} from ${nameOf(table)}`, tenant, owner);

  it("is tried on every table and view of the schema", async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'toolwright'::regnamespace and relkind in ('r', 'p') order by 1`.execute(test.database.owner);
    expect(tables.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name));
    expect(tables.filter(({ hasTenant }) => hasTenant).length).toBeGreaterThan(25);
  });

  it("reads rows of its tenant alone", async () => {
    const seen = new Set<string>();
    for (const table of tables) {
      const rows = await read(table, "other");
      const tenants = new Set(rows.flatMap((row) => (JSON.parse(row) as { tenant?: string }).tenant ?? []));
      const expected = readByAll.includes(table.name) ? ["default", "other"] : rows.length > 0 && table.hasTenant ? ["other"] : [];
      const shown = { table: table.name, tenants: [...tenants].sort(), foreign: foreign(rows) };
      expect(shown).toEqual({ table: table.name, tenants: expected, foreign: [] });
      if (rows.length > 0) seen.add(table.name);
    }
    // Or else nothing would be read because nothing may be.
    const ofTenants = tables.filter(({ hasTenant }) => hasTenant).map(({ name }) => name);
    expect([...seen].sort()).toEqual([...ofTenants, "users"].sort());
  });

  it("reads through views what it reads of their tables", async () => {
    const { rows: views } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'toolwright'::regnamespace and relkind in ('v', 'm')`.execute(test.database.owner);
    expect(views.length).toBeGreaterThan(0);
    // A view may show the memories of one owner at a time.
    for (const view of views) {
      const seen = await Promise.all([everyOwner, "other", "acme"].map((owner) => read(view, "other", owner)));
      expect({ ...view, isSeen: seen.flat().length > 0, foreign: foreign(seen.flat()) }).toEqual({ ...view, isSeen: true, foreign: [] });
      const rows = await Promise.all([everyOwner, "acme"].map((owner) => read(view, undefined, owner)));
      expect({ ...view, rows: rows.flat() }).toEqual({ ...view, rows: [] });
    }
  });

  it.each(["other", undefined])("changes and removes no row of another; tenant: %s", async (tenant) => {
    for (const table of tables) {
      const [column] = await columnsOf(table, "update");
      const returned = await readable(table);
      const updated = column ? await told(sql`update ${nameOf(table)} set ${column} = ${column} returning ${returned}`, tenant) : [];
      const removed = await told(sql`delete from ${nameOf(table)} returning ${returned}`, tenant);
      const most = tenant === undefined ? 0 : 1;
      expect({ table: table.name, foreign: foreign([...updated, ...removed]) }).toEqual({ table: table.name, foreign: [] });
      expect(updated.length, table.name).toBeLessThanOrEqual(most);
      expect(removed.length, table.name).toBeLessThanOrEqual(most);
    }
  });

  it("reads nothing when no tenant is set, but what holds for every tenant", async () => {
    for (const table of tables) {
      const rows = (await read(table)).filter((row) => !readByAll.includes(table.name) || !row.includes('"tenant":"default"'));
      expect({ table: table.name, rows }).toEqual({ table: table.name, rows: [] });
    }
  });

  it.each(["other", undefined])("writes no row for another, and gives none away; tenant: %s", async (tenant) => {
    for (const table of tables) {
      expect(await run(table.insertFor("acme"), tenant), `a row for another in ${table.name}`).toBeUndefined();
      if (table.hasTenant && tenant !== undefined)
        expect(await run(sql`update ${nameOf(table)} set tenant = 'acme'`, tenant), `a row of ${table.name} given away`).toBeUndefined();
    }
  });

  it.runIf(kind === "server")("is not got round by a login that has the role and nothing else", async () => {
    const name = `login_${randomUUID().replaceAll("-", "")}`;
    await sql`create role ${sql.id(name)} login password ${sql.lit(name)} in role toolwright_tenant`.execute(test.database.owner);
    const client = new pg.Client({ connectionString: Object.assign(new URL(test.url ?? ""), { username: name, password: name }).href });
    try {
      await client.connect();
      for (const tenant of ["", "other"]) {
        const settings = "select set_config('toolwright.tenant', $1, false), set_config('toolwright.memory_owner', $2, false)";
        await client.query(settings, [tenant, everyOwner]);
        for (const table of tables) {
          const columns = await namesOf(table, "select");
          if (columns.length === 0) continue;
          const { rows } = await client.query(
            `select ${columns.map((column) => `"${column}"`).join(", ")} from toolwright."${table.name}"`,
          );
          expect({ table: table.name, foreign: foreign(rows.map((row) => JSON.stringify(row))) }).toEqual({
            table: table.name,
            foreign: [],
          });
        }
      }
      await expect(client.query("set role toolwright_system")).rejects.toMatchObject({ code: forbidden });
    } finally {
      await client.end();
      await sql`drop role ${sql.id(name)}`.execute(test.database.owner);
    }
  });

  it("calls no function that runs with the rights of another", async () => {
    const { rows } = await sql`select proname from pg_proc where pronamespace = 'toolwright'::regnamespace and prosecdef`.execute(
      test.database.owner,
    );
    expect(rows).toEqual([]);
  });

  it.runIf(kind === "embedded")("reads and writes vectors of its tenant alone", async () => {
    for (const source of vectorSources) {
      const own = vectorTable(source);
      const insertFor = (tenant: string) =>
        sql`insert into ${own} (tenant, owner, id, mark, model, embedding) values (${tenant}, 'of a test', '1', 1, 'of a test', '[1]')`;
      await test.database.owner.transaction().execute(async (query) => {
        await sql`set local session_replication_role = replica`.execute(query);
        for (const tenant of ["acme", "other"]) await insertFor(tenant).execute(query);
      });
      const select = sql`select tenant from ${own}`;
      expect([source.name, await run(select, "other"), await run(select)]).toEqual([source.name, ['{"tenant":"other"}'], []]);
      for (const tenant of ["other", undefined]) expect(await run(insertFor("acme"), tenant)).toBeUndefined();
      expect(await run(sql`update ${own} set tenant = 'acme'`, "other")).toBeUndefined();
      expect(await run(sql`delete from ${own} returning tenant`, "other")).toEqual(['{"tenant":"other"}']);
    }
  });

  it("enters no schema but ours and those of PostgreSQL", async () => {
    const { rows } = await sql<{ name: string }>`select nspname as name from pg_namespace
      where has_schema_privilege('toolwright_tenant', oid, 'usage') and nspname not like 'pg\\_%' order by 1`.execute(test.database.owner);
    // Those of vectors are made where the database has the extension.
    const ours = kind === "embedded" ? ["toolwright", "toolwright_vectors"] : ["toolwright"];
    expect(rows.map(({ name }) => name)).toEqual(["information_schema", "public", ...ours]);
    const { rows: tables } = await sql`select from pg_class where relnamespace = 'public'::regnamespace`.execute(test.database.owner);
    expect(tables).toEqual([]);
  });
});
