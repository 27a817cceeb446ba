import type { ApprovalRecord, ArtifactStore, Clock, EventLog } from "@toolwright/engine";
import { createPostgresArtifactStore } from "./artifacts/postgres-artifact-store.ts";
import { type CatalogueStore, createCatalogueStore } from "./catalogue/catalogue-store.ts";
import type { Database } from "./database/database.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { createDataFolder } from "./embedded/template.ts";
import { createPostgresEventLog } from "./events/postgres-event-log.ts";
import { type JobStore, openJobs } from "./jobs/open-jobs.ts";
import { migrate } from "./migrate/migrate.ts";
import { type CallStores, openCallStores } from "./recovery/open-call-stores.ts";
import { oweEndings } from "./recovery/owe-endings.ts";
import type { Periods } from "./retention/chores.ts";
import { createRetention, type Retention } from "./retention/retention.ts";

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
  /** How long what is over is kept. Default 30 days, and the log with its artifacts for ever. */
  readonly periods?: Partial<Periods>;
  /** Of this machine; what is stored goes by the database's. */
  readonly clock?: Clock;
  readonly warn?: (message: string) => void;
  /** Hears once, of all processes, of each approval that nobody answered in time. */
  readonly onExpired?: (record: ApprovalRecord) => void;
}

/** Everything that lasts, behind the engine's ports. */
export interface Store extends CallStores, JobStore {
  readonly database: Database;
  /** The database's time, for whatever decides by what is stored. */
  readonly clock: Clock;
  readonly events: EventLog;
  readonly artifacts: ArtifactStore;
  readonly catalogue: CatalogueStore;
  readonly retention: Retention;
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
  const { clock } = calls.registry;
  return {
    ...calls,
    database,
    events,
    clock,
    ...openJobs(database, options.process, clock.now),
    artifacts: createPostgresArtifactStore(database),
    catalogue,
    retention: createRetention(database, { ...options, clock }),
    async close() {
      catalogue.close();
      await log.settle();
      await calls.close();
      await database.close();
    },
  };
}

export async function openDatabase({ url, folder, cache, holder, refuse, connections, warn }: StoreOptions): Promise<Database> {
  if (url === undefined)
    return openEmbedded(folder, { holder, create: (dataDir) => createDataFolder(dataDir, { cache }), ...(refuse && { refuse }) });
  const { openServer } = await import("./database/open-server.ts");
  return openServer(url, { ...(connections && { connections }), ...(warn && { warn }) });
}
