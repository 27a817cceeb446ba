import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { runOnSnapshot } from "../database/run-as-role.ts";
import { readMigrationState } from "../migrate/migrate.ts";
import { listTables, type TableShape } from "./list-tables.ts";

export const backupFormat = "toolwright-backup-1";
const mostRowsAtOnce = 500;
/** Bytes of a table, as they are stored, that are in memory at one time; as text they are several times that. */
const bytesAtOnce = 2 * 1024 * 1024;

export interface BackupCounts {
  readonly tables: number;
  readonly rows: number;
}

/**
 * Writes everything in the database as lines of JSON: a header, for each table its shape and then one array of texts a row, and a last line
 * with the counts and the SHA-256 of all before. One snapshot, so that it fits together while others write. It holds secrets as they are
 * stored, encrypted; the key is not in it.
 */
export async function writeBackup(database: Database, write: (line: string) => Promise<void>): Promise<BackupCounts> {
  const { applied } = await readMigrationState(database.owner);
  const hash = createHash("sha256");
  let rows = 0;
  const put = async (value: unknown) => {
    const line = `${JSON.stringify(value)}\n`;
    hash.update(line);
    await write(line);
  };
  const tables = await runOnSnapshot(database.owner, async (query) => {
    await put({ format: backupFormat, migrations: applied.map(({ name, breaking }) => ({ name, breaking })) });
    const shapes = await listTables(query);
    for (const shape of shapes) {
      await put({ table: shape.name, columns: shape.columns });
      for await (const row of readRows(query, shape)) {
        rows += 1;
        await put(row);
      }
    }
    return shapes.length;
  });
  await write(`${JSON.stringify({ tables, rows, sha256: hash.digest("hex") })}\n`);
  return { tables, rows };
}

/** Each value as PostgreSQL writes it as text: exact for every type, and read back by the same type. */
async function* readRows(query: Query, { name, columns }: TableShape): AsyncGenerator<readonly (string | null)[]> {
  const values = sql.join(columns.map((column) => sql`${sql.ref(column.name)}::text`));
  const table = sql.table(`toolwright.${name}`);
  const stored = columns.map((column) => sql`coalesce(pg_column_size(${sql.ref(column.name)}), 0)`);
  const largest = await sql<{ bytes: number | null }>`select max(${sql.join(stored, sql` + `)}) as bytes from ${table}`.execute(query);
  const rowsAtOnce = Math.min(mostRowsAtOnce, Math.ceil(bytesAtOnce / (largest.rows[0]?.bytes ?? 1)));
  await sql`declare backup no scroll cursor for select array[${values}] as cells from ${table}`.execute(query);
  for (;;) {
    const { rows } = await sql<{ cells: (string | null)[] }>`fetch ${sql.lit(rowsAtOnce)} from backup`.execute(query);
    for (const { cells } of rows) yield cells;
    if (rows.length < rowsAtOnce) break;
  }
  await sql`close backup`.execute(query);
}
