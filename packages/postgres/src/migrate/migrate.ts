import { ToolwrightError } from "@toolwright/engine";
import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import type { Tables } from "../database/tables.ts";
import { type AppliedMigration, readApplied } from "./applied-migrations.ts";
import { type MigrationFile, readMigrations } from "./read-migrations.ts";

export interface MigrationState {
  readonly applied: readonly AppliedMigration[];
  /** Of this version, not applied yet; oldest first. */
  readonly pending: readonly MigrationFile[];
  /** Applied by a newer version; this one does not know them. */
  readonly unknown: readonly AppliedMigration[];
  /** Applied with another text than this version has. */
  readonly changed: readonly string[];
}

export interface MigrateOptions {
  /** Default: those of this version. */
  readonly files?: readonly MigrationFile[];
  /** Also those after which processes of the version before stop working. A new database needs no leave. */
  readonly breaking?: boolean;
}

export async function readMigrationState(db: Kysely<Tables>, files = readMigrations()): Promise<MigrationState> {
  const applied = await readApplied(db);
  const byName = new Map(applied.map((migration) => [migration.name, migration]));
  const known = new Set(files.map(({ name }) => name));
  return {
    applied,
    pending: files.filter(({ name }) => !byName.has(name)),
    unknown: applied.filter(({ name }) => !known.has(name)),
    changed: files.filter(({ name, checksum }) => (byName.get(name)?.checksum ?? checksum) !== checksum).map(({ name }) => name),
  };
}

/** Brings the database to this version: what was missing, each in order and all or nothing. Safe from any number of processes at once. */
export async function migrate(
  db: Kysely<Tables>,
  { files = readMigrations(), breaking = false }: MigrateOptions = {},
): Promise<readonly string[]> {
  const state = await readMigrationState(db, files);
  refuseUnusable(state);
  const stops = state.applied.length > 0 && !breaking ? state.pending.filter((file) => file.breaking) : [];
  if (stops[0])
    throw new ToolwrightError(
      "store_outdated",
      `The database needs ${stops[0].name}, after which processes of the version before stop working. Stop them, make a backup with toolwright db backup, and run toolwright db migrate --breaking.`,
      { details: { pending: state.pending.map(({ name }) => name) } },
    );
  if (state.pending.length === 0) return [];
  const migrator = new Migrator({ db, provider: { getMigrations: async () => toMigrations(files) }, migrationTableSchema: "toolwright" });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw failedMigration(error, results.find(({ status }) => status === "Error")?.migrationName);
  return results.map(({ migrationName }) => migrationName);
}

/** Throws when this version must not touch the database. */
export function refuseUnusable({ unknown, changed }: MigrationState): void {
  const newer = unknown.find((migration) => migration.breaking);
  if (newer)
    throw new ToolwrightError(
      "store_newer",
      `The database was changed by a newer version (${newer.name}), which this one cannot work with. Install that version, or restore a backup made before.`,
    );
  if (changed[0])
    throw new ToolwrightError(
      "store_failed",
      `The migration ${changed[0]} was applied with another text than this version has. Reinstall Toolwright; a migration that was applied must never change.`,
    );
}

function toMigrations(files: readonly MigrationFile[]): Record<string, Migration> {
  return Object.fromEntries(files.map((file) => [file.name, { up: (db) => applyFile(db, file) }]));
}

async function applyFile(db: QueryExecutorProvider, { name, statements, breaking, checksum }: MigrationFile): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
  await sql`create table if not exists toolwright.migration_notes (name text primary key, breaking boolean not null, checksum text not null, at timestamptz not null default now())`.execute(
    db,
  );
  await sql`insert into toolwright.migration_notes (name, breaking, checksum) values (${name}, ${breaking}, ${checksum})`.execute(db);
}

function failedMigration(error: unknown, name: string | undefined): ToolwrightError {
  const cause = error instanceof Error ? error.message : String(error);
  const which = name ? `The migration ${name}` : "The migration of the database";
  return new ToolwrightError("store_failed", `${which} failed and was taken back; the database is as it was. PostgreSQL says: ${cause}`, {
    cause: error,
  });
}
