import type { EventLog } from "@toolwright/engine";
import type { Database } from "./database/database.ts";
import { openServer } from "./database/open-server.ts";
import { openEmbedded } from "./embedded/open-embedded.ts";
import { readTemplate } from "./embedded/template.ts";
import { createPostgresEventLog } from "./events/postgres-event-log.ts";
import { migrate } from "./migrate/migrate.ts";

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

export function openDatabase({ url, folder, cache, holder, refuse, connections, warn }: StoreOptions): Promise<Database> {
  if (url === undefined) return openEmbedded(folder, { holder, template: () => readTemplate(cache), ...(refuse && { refuse }) });
  return openServer(url, { ...(connections && { connections }), ...(warn && { warn }) });
}
