import type { SessionReader } from "@toolwright/engine/ports";
import { restoreBackup } from "../backup/restore-backup.ts";
import { type BackupCounts, writeBackup } from "../backup/write-backup.ts";
import { type DatabaseFacts, describeDatabase } from "../database/describe-database.ts";
import { findUnprotected } from "../database/find-unprotected.ts";
import { createPostgresSessionReader } from "../events/postgres-session-reader.ts";
import { type MigrateOptions, type MigrationState, migrate, readMigrationState } from "../migrate/migrate.ts";
import { openDatabase, type StoreOptions } from "../open-store.ts";

/** What an operator does to a store as a whole, whatever version it has. */
export interface Maintenance {
  readonly kind: "embedded" | "server";
  readonly log: SessionReader;
  describe(): Promise<DatabaseFacts>;
  readMigrations(): Promise<MigrationState>;
  /** Brings the store to this version; resolves with what was applied. */
  migrate(options: Pick<MigrateOptions, "breaking">): Promise<readonly string[]>;
  /** Tables that are open to every tenant. */
  findUnprotected(): Promise<readonly string[]>;
  /** Writes everything as it is at one moment. An embedded store is copied for that, `elsewhere` where its own disk has no room, so that nobody waits; nothing else can be asked afterwards. */
  backup(options: { readonly elsewhere: string; readonly write: (lines: string) => Promise<void> }): Promise<BackupCounts>;
  /** Reads what `backup` wrote into an empty store; whole or not at all. */
  restore(lines: AsyncIterable<string>): Promise<BackupCounts>;
  close(): Promise<void>;
}

/** Opens the store as it is, without bringing it to this version. */
export async function openMaintenance(options: StoreOptions): Promise<Maintenance> {
  const database = await openDatabase(options);
  return {
    kind: database.kind,
    log: createPostgresSessionReader(database),
    describe: () => describeDatabase(database),
    readMigrations: () => readMigrationState(database.owner),
    migrate: (choice) => migrate(database.owner, choice),
    findUnprotected: () => findUnprotected(database),
    async backup({ elsewhere, write }) {
      const copy = await database.detach({ elsewhere });
      try {
        return await writeBackup(copy, write);
      } finally {
        await copy.close();
      }
    },
    restore: (lines) => restoreBackup(database, lines),
    close: () => database.close(),
  };
}
