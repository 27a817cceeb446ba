import { join } from "node:path";
import { createRandomIds, type Logger } from "@toolwright/engine";
import { type Database, openDatabase, openStore, type Store, type StoreOptions } from "@toolwright/postgres";
import type { Settings } from "../settings.ts";

/** Which command of which process this is, as another one that finds the folder in use will read it. */
export interface Holder {
  readonly command: string;
  /** True for a command that does not want to share the folder with another of its kind. */
  readonly once?: boolean;
}

/** Opens what lasts: the PostgreSQL server that was named, else the embedded one in the state folder. */
export function openState(settings: Settings, holder: Holder, logger: Logger): Promise<Store> {
  return openStore(storeOptions(settings, holder, logger));
}

/** The same as it is, without bringing it to this version. */
export function openStateDatabase(settings: Settings, holder: Holder, logger: Logger): Promise<Database> {
  return openDatabase(storeOptions(settings, holder, logger));
}

function storeOptions(settings: Settings, { command, once = false }: Holder, logger: Logger): StoreOptions {
  const words = `toolwright ${command}`;
  return {
    url: settings.databaseUrl,
    folder: join(settings.state, "store"),
    cache: settings.cache,
    process: createRandomIds().next("prc"),
    holder: `${words} (process ${process.pid})`,
    ...(once && { refuse: (holder: string) => holder.startsWith(words) }),
    ...(settings.connections !== undefined && { connections: settings.connections }),
    periods: settings.keep,
    onExpired: ({ id, tool }) => logger.log("info", `Approval ${id} of ${tool} expired: nobody answered it in time.`),
    warn: (message) => logger.log("warn", message),
  };
}
