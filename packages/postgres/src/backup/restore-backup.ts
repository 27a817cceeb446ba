import { createHash } from "node:crypto";
import { ToolwrightError } from "@toolwright/engine";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { listTables, type TableShape } from "./list-tables.ts";
import { type BackupCounts, backupFormat } from "./write-backup.ts";

const rowsAtOnce = 500;

interface Header {
  readonly format: string;
  readonly migrations: readonly { readonly name: string; readonly breaking: boolean }[];
}

/** Puts a backup into a database that was migrated and never used; everything or nothing. The lines must come in order. */
export async function restoreBackup(database: Database, lines: AsyncIterable<string>): Promise<BackupCounts> {
  return database.asSystem(async (query) => {
    const shapes = new Map((await listTables(query)).map((shape) => [shape.name, shape]));
    await refuseUsed(query, [...shapes.values()]);
    const writer = createTableWriter(query, shapes);
    const hash = createHash("sha256");
    let counts: (BackupCounts & { sha256: string }) | undefined;
    let number = 0;
    for await (const line of lines) {
      if (line === "") continue;
      number += 1;
      const value = readLine(line, number);
      if (number === 1) refuseHeader(value as Header);
      else if (Array.isArray(value)) await writer.addRow(value);
      else if (value !== null && typeof value === "object" && "table" in value)
        await writer.startTable(value as { table: string; columns: TableShape["columns"] });
      else counts = value as typeof counts;
      if (!counts) hash.update(`${line}\n`);
    }
    const written = await writer.finish();
    if (!counts || counts.sha256 !== hash.digest("hex") || counts.rows !== written.rows)
      throw damaged("The backup ends too early or was changed: its last line does not fit what comes before.");
    return written;
  });
}

async function refuseUsed(query: Query, shapes: readonly TableShape[]): Promise<void> {
  for (const { name } of shapes) {
    if (name === "tenants") continue;
    const { rows } = await sql`select 1 from ${sql.table(`toolwright.${name}`)} limit 1`.execute(query);
    if (rows.length > 0)
      throw new ToolwrightError(
        "store_failed",
        `The database already has rows in ${name}, and restoring would mix two histories. Restore into a new database or folder.`,
      );
  }
  await sql`delete from toolwright.tenants`.execute(query);
}

function refuseHeader({ format, migrations }: Header): void {
  if (format !== backupFormat) throw damaged(`The file does not start like a backup of this kind (${backupFormat}).`);
  const known = new Set(readMigrations().map(({ name }) => name));
  const unknown = migrations.find(({ name }) => !known.has(name));
  if (unknown)
    throw new ToolwrightError(
      "store_newer",
      `The backup was made by a newer version (${unknown.name}). Install that version to restore it; nothing was changed.`,
    );
}

function createTableWriter(query: Query, shapes: ReadonlyMap<string, TableShape>) {
  let table: { readonly shape: TableShape; readonly columns: TableShape["columns"] } | undefined;
  let waiting: (readonly (string | null)[])[] = [];
  const counts = { tables: 0, rows: 0 };
  const flush = async () => {
    if (table && waiting.length > 0) await insertRows(query, { ...table, rows: waiting }).catch(refuseRows(table.shape.name));
    counts.rows += waiting.length;
    waiting = [];
  };
  return {
    async startTable({ table: name, columns }: { table: string; columns: TableShape["columns"] }) {
      await flush();
      const shape = shapes.get(name);
      if (!shape) throw damaged(`This version has no table ${name}.`);
      counts.tables += 1;
      table = { shape, columns };
    },
    async addRow(row: readonly (string | null)[]) {
      if (!table || row.length !== table.columns.length) throw damaged("A row does not fit its table.");
      waiting.push(row);
      if (waiting.length >= rowsAtOnce) await flush();
    },
    async finish(): Promise<BackupCounts> {
      await flush();
      return counts;
    },
  };
}

interface Rows {
  readonly shape: TableShape;
  readonly columns: TableShape["columns"];
  readonly rows: readonly (readonly (string | null)[])[];
}

async function insertRows(query: Query, { shape, columns, rows }: Rows): Promise<void> {
  const types = new Map(shape.columns.map(({ name, type }) => [name, type]));
  const missing = columns.find(({ name }) => !types.has(name));
  if (missing) throw damaged(`The table ${shape.name} has no column ${missing.name}.`);
  const lists = columns.map((_, index) => sql`${rows.map((row) => row[index] ?? null)}::text[]`);
  const names = columns.map(({ name }) => sql.ref(name));
  // The types come from the database's own catalogue, never from the file.
  const cells = columns.map(({ name }, index) => sql`${sql.ref(`c${index}`)}::${sql.raw(types.get(name) as string)}`);
  const aliases = columns.map((_, index) => sql.ref(`c${index}`));
  await sql`insert into ${sql.table(`toolwright.${shape.name}`)} (${sql.join(names)})
    select ${sql.join(cells)} from unnest(${sql.join(lists)}) as given(${sql.join(aliases)})`.execute(query);
}

function refuseRows(table: string) {
  return (error: unknown): never => {
    if (ToolwrightError.is(error)) throw error;
    throw damaged(`Rows of ${table} do not fit: ${error instanceof Error ? error.message : String(error)}.`, error);
  };
}

function readLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw damaged(`Line ${number} is not valid JSON.`, error);
  }
}

function damaged(words: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("store_failed", `${words} The database is as it was.`, { cause });
}
