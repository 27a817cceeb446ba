import type { StoreInspector } from "@toolwright/engine/ports";
import { restoreBackup } from "../backup/restore-backup.ts";
import { type BackupCounts, writeBackup } from "../backup/write-backup.ts";
import { type MigrateOptions, migrate, readMigrationState } from "../migrate/migrate.ts";
import { openDatabase, type StoreOptions } from "../open-store.ts";
import { type MakeIndexesOptions, makeNearIndexes, type VectorsReport } from "../vectors/make-near-indexes.ts";
import { whyNoVectors } from "../vectors/open-vectors.ts";
import { examineStore, type StoreFindings } from "./examine-store.ts";
import { createStoreInspector, requireMigrated } from "./inspect-store.ts";

/** What an operator does to a store as a whole, whatever version it has. */
export interface Maintenance {
  readonly kind: "embedded" | "server";
  /** Looks at it, and changes nothing. */
  readonly inspector: Omit<StoreInspector, "place">;
  /** Brings the store to this version; resolves with what was applied. */
  migrate(options: Pick<MigrateOptions, "breaking">): Promise<readonly string[]>;
  /** What an operator may want to look after; undefined for a store that is not at this version. */
  examine(): Promise<StoreFindings | undefined>;
  /** Why the database can keep no vectors as it stands; undefined where it can. */
  whyNoVectors(): Promise<string | undefined>;
  /**
   * Makes what a server lacks to find by vectors quickly: their tables, and indexes of those that are too many to compare all. Rejects with
   * `store_outdated` for a store that lacks migrations.
   */
  makeVectorIndexes(options: MakeIndexesOptions): Promise<VectorsReport>;
  /** Writes everything as it is at one moment. An embedded store is copied for that, `elsewhere` where its own disk has no room, so that nobody waits; nothing else can be asked afterwards. */
  backup(options: { readonly elsewhere: string; readonly write: (lines: string) => Promise<void> }): Promise<BackupCounts>;
  /** Reads what `backup` wrote into an empty store; whole or not at all. */
  restore(lines: AsyncIterable<string>): Promise<BackupCounts>;
  close(): Promise<void>;
}

/** Longest time of one statement: to index or restore millions of rows takes hours. */
const longestMs = 24 * 60 * 60 * 1_000;

/** Opens the store as it is, without bringing it to this version. */
export async function openMaintenance(options: StoreOptions): Promise<Maintenance> {
  const database = await openDatabase(options, { statementTimeoutMs: longestMs });
  return {
    kind: database.kind,
    inspector: createStoreInspector(database),
    migrate: (choice) => migrate(database.owner, choice),
    async examine() {
      const { pending } = await readMigrationState(database.owner);
      return pending.length > 0 ? undefined : examineStore(database);
    },
    whyNoVectors: () => whyNoVectors(database),
    async makeVectorIndexes(choice) {
      await requireMigrated(database);
      return makeNearIndexes(database, choice);
    },
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
