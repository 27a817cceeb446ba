import type { EventLog } from "@toolwright/engine";
import type { Database } from "./database/database.ts";
import { openServer } from "./database/open-server.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { createPostgresEventLog } from "./events/postgres-event-log.ts";
import { migrate } from "./migrate/migrate.ts";

export interface StoreOptions {
  /** Of a PostgreSQL server; without it the embedded one is used, in `folder`. */
  readonly url?: string | undefined;
  readonly folder: string;
  /** Unique among all processes that ever use the store. */
  readonly process: string;
  /** Who that is, for people: `toolwright serve on port 7777, process 4711`. */
  readonly holder: string;
  /** Refuse an embedded folder that another process holds. */
  readonly alone?: boolean;
  /** Connections to a server at most. */
  readonly connections?: number;
  readonly warn?: (message: string) => void;
}

/** Everything that lasts, behind the engine's ports. */
export interface Store {
  readonly database: Database;
  readonly events: EventLog;
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
  const events = createPostgresEventLog(database, options.process);
  return {
    database,
    events,
    async close() {
      await events.settle();
      await database.close();
    },
  };
}

export function openDatabase({ url, folder, holder, alone, connections, warn }: StoreOptions): Promise<Database> {
  if (url === undefined) return openEmbedded(folder, { holder, ...(alone && { alone }) });
  return openServer(url, { ...(connections && { connections }), ...(warn && { warn }) });
}
