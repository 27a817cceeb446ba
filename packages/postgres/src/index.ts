export { restoreBackup } from "./backup/restore-backup.ts";
export { type BackupCounts, writeBackup } from "./backup/write-backup.ts";
export type { Announcement, Database, Query } from "./database/database.ts";
export { isPassing } from "./database/store-failure.ts";
export { type MigrationState, migrate, readMigrationState } from "./migrate/migrate.ts";
export { openDatabase, openStore, type Store, type StoreOptions } from "./open-store.ts";
