import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { runOnSnapshot } from "../database/roles.ts";
import { readMigrationState } from "../migrate/migrate.ts";
import { listTables, type TableShape } from "./list-tables.ts";

export const backupFormat = "toolwright-backup-1";
const mostRowsAtOnce = 1_000;
/** Bytes of a table, as they are stored, that are in memory at one time; as text they are several times that. */
const bytesAtOnce = 2 * 1024 * 1024;
const pageBytes = 8192;

export interface BackupCounts {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Writes everything in the database as lines of JSON: a header, for each table its shape and then one array of texts a row, and a last line
 * with the counts and the SHA-256 of all before. One snapshot, so that it fits together while others write. It holds secrets as they are
 * stored, encrypted; the key is not in it.
 */
export async function writeBackup(database: Database, write: (lines: string) => Promise<void>): Promise<BackupCounts> {
  const { applied } = await readMigrationState(database.owner);
  const hash = createHash("sha256");
  let rows = 0;
  const put = async (lines: string) => {
    hash.update(lines);
    await write(lines);
  };
  const tables = await runOnSnapshot(database.owner, async (query) => {
    await put(`${JSON.stringify({ format: backupFormat, migrations: applied.map(({ name, breaking }) => ({ name, breaking })) })}\n`);
    const shapes = await listTables(query);
    for (const shape of shapes) {
      await put(`${JSON.stringify({ table: shape.name, columns: shape.columns })}\n`);
      for await (const lines of readRows(query, shape)) {
        rows += lines.length;
        await put(`${lines.join("\n")}\n`);
      }
    }
    return shapes.length;
  });
  await write(`${JSON.stringify({ tables, rows, sha256: hash.digest("hex") })}\n`);
  return { tables, rows };
}

/**
 * A line for each row: an array of its values, as PostgreSQL writes them as text: exact for every type, and read back by the same type. The
 * database puts the line together, which is several times faster than to take values apart here.
 */
async function* readRows(query: Query, { name, columns }: TableShape): AsyncGenerator<readonly string[]> {
  const values = sql.join(columns.map((column) => sql`${sql.ref(column.name)}::text`));
  const table = sql.table(`toolwright.${name}`);
  const rowsAtOnce = Math.min(mostRowsAtOnce, Math.ceil(bytesAtOnce / (await findLargest(query, { name, columns }))));
  await sql`declare backup no scroll cursor for select json_build_array(${values})::text as line from ${table}`.execute(query);
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(rowsAtOnce)} from backup`.execute(query);
    if (rows.length > 0) yield rows.map(({ line }) => line);
    if (rows.length < rowsAtOnce) break;
  }
  await sql`close backup`.execute(query);
}

/** Bytes of the largest row, as it is stored. One that has nothing beside its page is smaller than a page, and none of them is looked at. */
async function findLargest(query: Query, { name, columns }: Pick<TableShape, "name" | "columns">): Promise<number> {
  const table = sql.table(`toolwright.${name}`);
  const { rows: found } = await sql<{ beside: boolean }>`
    select coalesce(bool_or(pg_relation_size(reltoastrelid) > 0), true) as beside
    from pg_class where oid = ${`toolwright.${name}`}::regclass and relkind = 'r' and reltoastrelid <> 0`.execute(query);
  if (found[0]?.beside === false) return pageBytes;
  const stored = columns.map((column) => sql`coalesce(pg_column_size(${sql.ref(column.name)}), 0)`);
  const { rows } = await sql<{ bytes: number | null }>`select max(${sql.join(stored, sql` + `)}) as bytes from ${table}`.execute(query);
  return rows[0]?.bytes ?? 1;
}
