export type { BackupCounts } from "./backup/write-backup.ts";
export type { PostgresCatalogueStore } from "./catalogue/catalogue-store.ts";
export type { CatalogueSource, FollowedCatalogue, FollowOptions } from "./catalogue/follow-catalogue.ts";
export { syncCatalogue } from "./catalogue/sync-catalogue.ts";
export type { LostEnablement, RemovedTool, SyncOptions, SyncReport } from "./catalogue/sync-report.ts";
export type { Announcement, Database, Query } from "./database/database.ts";
export type { DatabaseFacts } from "./database/describe-database.ts";
export { isPassing } from "./database/store-failure.ts";
export { systemHandle } from "./database/system-handle.ts";
export { readClockGap } from "./embedded/store-clock.ts";
export type { OldSessions, SessionCounts } from "./events/remove-old-sessions.ts";
export {
  type AccountSession,
  type Accounts,
  type ConnectedClient,
  createAccounts,
  createIdentity,
  type EndedAccess,
  type PasswordReset,
} from "./identity/index.ts";
export type { Worker, WorkerOptions } from "./jobs/worker/start-worker.ts";
export type { StoreFindings } from "./maintenance/examine-store.ts";
export { type Maintenance, openMaintenance } from "./maintenance/open-maintenance.ts";
export type { MigrationState } from "./migrate/migrate.ts";
export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { type Periods, unusedRecords } from "./retention/chores.ts";
export type { Removed, Retention } from "./retention/retention.ts";
export type { LastRetention } from "./retention/retention-lease.ts";
export type { KeyCheck, NeededKey } from "./secrets/check-secrets.ts";
export { createKeyring, type Keyring, type MasterKey, masterKeyBytes, toMasterKey } from "./secrets/keyring.ts";
export type { PostgresSecretStore } from "./secrets/postgres-secret-store.ts";
export type { Rotation } from "./secrets/rotate-secrets.ts";
export type { SealedEntry } from "./secrets/secret-entry.ts";
export type { KeptVectors, MakeIndexesOptions, NearIndex, VectorsReport } from "./vectors/make-near-indexes.ts";
export type { VectorGroup } from "./vectors/near-index.ts";
