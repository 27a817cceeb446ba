import type { ApprovalRecord, ArtifactStore, EventLog } from "@toolwright/engine";
import { createPostgresArtifactStore } from "./artifacts/postgres-artifact-store.ts";
import { type CatalogueStore, createCatalogueStore } from "./catalogue/catalogue-store.ts";
import type { Database } from "./database/database.ts";
import { openServer } from "./database/open-server.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { createDataFolder } from "./embedded/template.ts";
import { createPostgresEventLog } from "./events/postgres-event-log.ts";
import { type JobStore, openJobs } from "./jobs/open-jobs.ts";
import { migrate } from "./migrate/migrate.ts";
import { type CallStores, openCallStores } from "./recovery/open-call-stores.ts";
import { oweEndings } from "./recovery/owe-endings.ts";

export interface StoreOptions {
  /** Of a PostgreSQL server; without it the embedded one is used, in `folder`. */
  readonly url?: string | undefined;
  readonly folder: string;
  /** Keeps what new folders start with, which takes seconds to make. */
  readonly cache?: string;
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** Who that is, for people: `toolwright serve on port 7777, process 4711`. */
  readonly holder: string;
  /** True for a holder of the embedded folder that this process does not want to share it with. */
  readonly refuse?: ((holder: string) => boolean) | undefined;
  /** Connections to a server at most. */
  readonly connections?: number;
  /** Milliseconds that approvals and grants are kept when they are over. Default 30 days. */
  readonly keepMs?: number;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** Everything that lasts, behind the engine's ports. */
export interface Store extends CallStores, JobStore {
  readonly database: Database;
  readonly events: EventLog;
  readonly artifacts: ArtifactStore;
  readonly catalogue: CatalogueStore;
  /** Writes what waits and lets go of the database. */
  close(): Promise<void>;
}

/** Opens the store and brings it to this version. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const database = await openDatabase(options);
  try {
    await migrate(database.owner);
  } catch (error) {
    await database.close();
    throw error;
  }
  const catalogue = await createCatalogueStore(database, options);
  const log = createPostgresEventLog(database, options.process);
  const events = oweEndings(log, database, options.process);
  const calls = await openCallStores(database, { ...options, pay: events.pay });
  return {
    ...calls,
    database,
    events,
    ...openJobs(database, options.process),
    artifacts: createPostgresArtifactStore(database),
    catalogue,
    async close() {
      catalogue.close();
      await log.settle();
      await calls.close();
      await database.close();
    },
  };
}

export function openDatabase({ url, folder, cache, holder, refuse, connections, warn }: StoreOptions): Promise<Database> {
  if (url === undefined)
    return openEmbedded(folder, { holder, create: (dataDir) => createDataFolder(dataDir, { cache }), ...(refuse && { refuse }) });
  return openServer(url, { ...(connections && { connections }), ...(warn && { warn }) });
}
