import { createHash, type Hash } from "node:crypto";
import { ToolwrightError } from "@toolwright/engine/errors";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { migrate, readMigrationState } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { listTables, type TableShape } from "./list-tables.ts";
import { type BackupCounts, backupFormat } from "./write-backup.ts";

const rowsAtOnce = 500;
/** Characters of rows that are in memory at one time. */
const charactersAtOnce = 8 * 1024 * 1024;

interface Header {
  readonly format: string;
  readonly migrations: readonly { readonly name: string; readonly breaking: boolean }[];
}

/**
 * Puts a backup into a database that was never used; every row or none. A new database is brought to the version that the backup was made
 * by, and with its rows to this one: they take the way that they would have taken in the database they come from.
 */
export async function restoreBackup(database: Database, lines: AsyncIterable<string>): Promise<BackupCounts> {
  const hash = createHash("sha256");
  const values = readValues(lines, hash);
  const { value: header } = await values.next();
  const applied = new Set(readHeader(header as Header | undefined).map(({ name }) => name));
  const { applied: before } = await readMigrationState(database.owner);
  if (before.length === 0) await migrate(database.owner, { files: readMigrations().filter(({ name }) => applied.has(name)) });
  const counts = await database.asSystem((query) => restoreRows(query, values, hash));
  // It was empty, so no process of an older version works on it.
  await migrate(database.owner, { breaking: true });
  return counts;
}

async function restoreRows(query: Query, values: AsyncIterable<unknown>, hash: Hash): Promise<BackupCounts> {
  const shapes = new Map((await listTables(query)).map((shape) => [shape.name, shape]));
  await refuseUsed(query, [...shapes.values()]);
  const writer = createTableWriter(query, shapes);
  let counts: (BackupCounts & { sha256: string }) | undefined;
  for await (const value of values) {
    if (Array.isArray(value)) await writer.addRow(value);
    else if (value !== null && typeof value === "object" && "table" in value)
      await writer.startTable(value as { table: string; columns: TableShape["columns"] });
    else counts = value as typeof counts;
  }
  const written = await writer.finish();
  if (!counts || counts.sha256 !== hash.digest("hex") || counts.rows !== written.rows)
    throw damaged("The backup ends too early or was changed: its last line does not fit what comes before.");
  return written;
}

/** The lines must come in order. All but the last, which holds it, go into the hash. */
async function* readValues(lines: AsyncIterable<string>, hash: Hash): AsyncGenerator<unknown> {
  let number = 0;
  for await (const line of lines) {
    if (line === "") continue;
    number += 1;
    const value = readLine(line, number);
    if (!isEnd(value)) hash.update(`${line}\n`);
    yield value;
  }
}

function isEnd(value: unknown): boolean {
  return typeof value === "object" && value !== null && "sha256" in value;
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

function readHeader(header: Header | undefined): Header["migrations"] {
  if (header?.format !== backupFormat || !Array.isArray(header.migrations))
    throw damaged(`The file does not start like a backup of this kind (${backupFormat}).`);
  const known = new Set(readMigrations().map(({ name }) => name));
  const unknown = header.migrations.find(({ name }) => !known.has(name));
  if (unknown)
    throw new ToolwrightError(
      "store_newer",
      `The backup was made by a newer version (${unknown.name}). Install that version to restore it; nothing was changed.`,
    );
  return header.migrations;
}

function createTableWriter(query: Query, shapes: ReadonlyMap<string, TableShape>) {
  let table: { readonly shape: TableShape; readonly columns: TableShape["columns"] } | undefined;
  let unknown: string | undefined;
  let waiting: (readonly (string | null)[])[] = [];
  let characters = 0;
  const counts = { tables: 0, rows: 0 };
  const flush = async () => {
    if (table && waiting.length > 0) await insertRows(query, { ...table, rows: waiting }).catch(refuseRows(table.shape.name));
    counts.rows += waiting.length;
    waiting = [];
    characters = 0;
  };
  return {
    async startTable({ table: name, columns }: { table: string; columns: TableShape["columns"] }) {
      await flush();
      const shape = shapes.get(name);
      counts.tables += 1;
      unknown = shape ? undefined : name;
      table = shape && { shape, columns };
    },
    async addRow(row: readonly (string | null)[]) {
      // One without rows is not missed: it was left out since, or never used.
      if (unknown !== undefined) throw damaged(`This version has no table ${unknown}.`);
      if (!table || row.length !== table.columns.length) throw damaged("A row does not fit its table.");
      waiting.push(row);
      for (const cell of row) characters += cell?.length ?? 0;
      if (waiting.length >= rowsAtOnce || characters >= charactersAtOnce) await flush();
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
    throw damaged(`Line ${number} is no line of a backup.`, error);
  }
}

function damaged(words: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("store_failed", `${words} The database is as it was. Take another backup.`, { cause });
}
