import { ToolwrightError } from "@toolwright/engine/errors";
import { type Kysely, type QueryExecutorProvider, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { toStoreError } from "../database/store-failure.ts";
import type { Tables } from "../database/tables.ts";
import { type MigrationFile, readMigrations } from "./read-migrations.ts";

export interface MigrationState {
  readonly applied: readonly AppliedMigration[];
  /** Migrations of this version that are not applied yet, oldest first. */
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
  const applied = await readApplied(db).catch((error: unknown) => Promise.reject(toStoreError(error)));
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
  if (error) throw await failedMigration(db, error, results.find(({ status }) => status === "Error")?.migrationName);
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

async function failedMigration(db: Kysely<Tables>, error: unknown, name: string | undefined): Promise<ToolwrightError> {
  const cause = error instanceof Error ? error.message : String(error);
  const which = name ? `The migration ${name}` : "The migration of the database";
  const remedy = (error as { code?: unknown }).code === "42501" ? await describeRights(db) : "";
  return new ToolwrightError(
    "store_failed",
    `${which} failed and was taken back; the database is as it was. PostgreSQL says: ${cause}${remedy}`,
    { cause: error },
  );
}

/** What an administrator of the server does for a user that lacks a right; the second line of SQL is for roles that another user made. */
async function describeRights(db: Kysely<Tables>): Promise<string> {
  const { rows } = await sql<{ user: string; database: string }>`
    select quote_ident(current_user) as user, quote_ident(current_database()) as database`.execute(db);
  const { user, database } = rows[0] ?? { user: "USER", database: "DATABASE" };
  return `. The user ${user} has to own the database, and may create roles or grant those that are there. As an administrator of the server run
  ALTER DATABASE ${database} OWNER TO ${user}; ALTER ROLE ${user} CREATEROLE;
and, where another user of that server has made the roles of Toolwright,
  GRANT toolwright_tenant, toolwright_system TO ${user} WITH ADMIN OPTION;
Tables that another user has made in that database are brought to this version by that user alone: toolwright db migrate`;
}

interface AppliedMigration {
  readonly name: string;
  readonly breaking: boolean;
  readonly checksum: string;
  readonly at: Date;
}

/** PostgreSQL's code for a table that is not there. */
const noSuchTable = "42P01";

/** The migrations that the database has, oldest first; none for a new one. */
async function readApplied(db: Kysely<Tables>): Promise<readonly AppliedMigration[]> {
  try {
    const { rows } = await sql<AppliedMigration>`select name, breaking, checksum, at from toolwright.migration_notes`.execute(db);
    return [...rows].sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === noSuchTable) return [];
    throw error;
  }
}
