import { join } from "node:path";
import { createRandomIds, type Logger } from "@toolwright/engine";
import { openStore, type Store } from "@toolwright/postgres";
import type { Settings } from "../settings.ts";

/** Which command of which process this is, as another one that finds the folder in use will read it. */
export interface Holder {
  readonly command: string;
  /** True for a command that does not want to share the folder with another of its kind. */
  readonly once?: boolean;
}

/** Opens what lasts: the PostgreSQL server that was named, else the embedded one in the state folder. */
export function openState(settings: Settings, { command, once = false }: Holder, logger: Logger): Promise<Store> {
  const words = `toolwright ${command}`;
  return openStore({
    url: settings.databaseUrl,
    folder: join(settings.state, "store"),
    cache: settings.cache,
    process: createRandomIds().next("prc"),
    holder: `${words} (process ${process.pid})`,
    ...(once && { refuse: (holder: string) => holder.startsWith(words) }),
    warn: (message) => logger.log("warn", message),
  });
}
