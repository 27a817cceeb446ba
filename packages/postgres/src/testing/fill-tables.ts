import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Query } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";

export interface FilledTable {
  readonly name: string;
  readonly hasTenant: boolean;
  /** An INSERT of a row of that tenant; in a table without tenants, of a row with that name in every text. */
  insertFor(tenant: string): RawBuilder<unknown>;
}

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

/** What a column of the type holds in a row of the tenant with that number. */
const values: Readonly<Record<string, (tenant: string, number: number) => RawBuilder<unknown>>> = {
  text: (tenant) => sql`${tenant}`,
  varchar: (tenant) => sql`${tenant}`,
  bool: () => sql`false`,
  timestamptz: () => sql`now()`,
  json: () => sql`'{}'::json`,
  jsonb: () => sql`'{}'::jsonb`,
  tsvector: () => sql`''::tsvector`,
  bytea: () => sql`'\\x00'::bytea`,
  uuid: () => sql`gen_random_uuid()`,
  ...Object.fromEntries(
    ["int2", "int4", "int8", "float8", "numeric"].map((type) => [type, (_: string, number: number) => sql.lit(number)]),
  ),
};

/**
 * Puts a row of each tenant into every table, those of later migrations too. Checks, references and triggers are passed over: for databases that
 * are thrown away.
 */
export async function fillTables(db: Kysely<Tables>, tenants: readonly string[]): Promise<readonly FilledTable[]> {
  const columns = await readColumns(db);
  const tables = [...Map.groupBy(columns, ({ table }) => table)].map(([name, some]): FilledTable => {
    const needed = some.map(({ column }) => sql.ref(column));
    return {
      name,
      hasTenant: some.some(({ column }) => column === "tenant"),
      insertFor: (tenant) =>
        sql`insert into ${sql.table(`toolwright.${name}`)} (${sql.join(needed)}) overriding system value
          values (${sql.join(some.map((column) => literalFor(column, tenant, tenants.indexOf(tenant) + 1)))})`,
    };
  });
  await db.transaction().execute(async (query) => {
    await dropChecks(query);
    await sql`set local session_replication_role = replica`.execute(query);
    for (const { name, insertFor } of tables) {
      await sql`delete from ${sql.table(`toolwright.${name}`)}`.execute(query);
      for (const tenant of tenants) await insertFor(tenant).execute(query);
    }
  });
  return tables;
}

/** Those that every row needs. */
async function readColumns(db: Kysely<Tables>): Promise<readonly Column[]> {
  const { rows } = await sql<Column>`
    select c.table_name as "table", c.column_name as "column", c.udt_name as type from information_schema.columns c
      join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'toolwright' and t.table_type = 'BASE TABLE' and c.is_generated = 'NEVER' and c.is_nullable = 'NO'
    order by 1, c.ordinal_position`.execute(db);
  return rows;
}

function literalFor({ table, column, type }: Column, tenant: string, number: number): RawBuilder<unknown> {
  if (type.startsWith("_")) return sql`'{}'`;
  const value = values[type]?.(tenant, number);
  if (!value) throw new Error(`${table}.${column} is of the type ${type}. Say in fill-tables.ts what it holds.`);
  return value;
}

async function dropChecks(query: Query): Promise<void> {
  const { rows } = await sql<{ table: string; name: string }>`
    select c.relname as "table", k.conname as name from pg_constraint k join pg_class c on c.oid = k.conrelid
    where c.relnamespace = 'toolwright'::regnamespace and k.contype = 'c'`.execute(query);
  for (const { table, name } of rows)
    await sql`alter table ${sql.table(`toolwright.${table}`)} drop constraint ${sql.ref(name)}`.execute(query);
}
