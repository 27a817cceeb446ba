import { join } from "node:path";
import type { Logger } from "@toolwright/engine";
import { type ErrorCode, ToolwrightError } from "@toolwright/engine/errors";
import { createRandomIds } from "@toolwright/engine/ports";
import { type Maintenance, openMaintenance, openStore, type Store, type StoreOptions } from "@toolwright/postgres";
import { takeInSpooled } from "../hooks/event-spool.ts";
import { takeInHookMarks } from "../hooks/hook-marks.ts";
import type { Settings } from "../settings.ts";

export { inspectStore } from "./inspect-store.ts";

/** Which command of which process this is, as another one that finds the folder in use will read it. */
export interface StoreUser {
  readonly command: string;
  /** True for a command of which a folder has one at a time; a second one waits a little for the first to leave. */
  readonly once?: boolean;
  /** Ends that wait. */
  readonly signal?: AbortSignal;
  /** True for a process that is there for long: it keeps more of the database in memory. */
  readonly stays?: boolean;
  /** True for a command that calls nothing and is soon over. */
  readonly brief?: boolean | undefined;
  /** False for a command that neither admits nor decides anything. Default true. */
  readonly decides?: boolean | undefined;
}

/** Opens what lasts: the PostgreSQL server that was named, else the embedded one in the state folder. Events and marks that hooks left are in it then. */
export async function openState(settings: Settings, holder: StoreUser, logger: Logger): Promise<Store> {
  const store = await openStore(storeOptions(settings, holder, logger)).catch(refuseUnavailable(settings));
  await takeInSpooled(settings.state, store, logger);
  const { databaseUrl } = settings;
  await takeInHookMarks(settings.state, {
    name: databaseUrl === undefined ? "embedded" : describeServer(databaseUrl),
    foreign: store.foreign,
  });
  return store;
}

/** Opens the store for maintenance, without migrating it to this version. */
export function openStateMaintenance(settings: Settings, holder: StoreUser, logger: Logger): Promise<Maintenance> {
  return openMaintenance(storeOptions(settings, holder, logger)).catch(refuseUnavailable(settings));
}

const unopened: ReadonlySet<ErrorCode> = new Set(["store_failed", "store_unreachable"]);

/** A store that cannot be opened is something that the command lacks, whatever the reason. Which one is told here, to the operator alone. */
function refuseUnavailable({ databaseUrl }: Settings): (error: unknown) => never {
  return (error) => {
    if (!ToolwrightError.is(error) || !unopened.has(error.code)) throw error;
    const place = databaseUrl === undefined ? "" : `\nTried ${describeServer(databaseUrl)}, from DATABASE_URL.`;
    throw new ToolwrightError("server_unavailable", `${error.message}${place}`, { cause: error });
  };
}

/** Without the password, and without parameters, which may hold one. */
function describeServer(url: string): string {
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const user = decodeURIComponent(username);
  const name = decodeURIComponent(pathname.slice(1)) || user;
  return `host ${searchParams.get("host") ?? (hostname || "localhost")}, port ${port || "5432"}, database ${name}, user ${user}`;
}

/** A command reads few pages, and to clear the memory for more takes longer than to read one again. */
const pageCacheOfCommandMb = 4;

function storeOptions(
  settings: Settings,
  { command, once = false, signal, stays = false, brief, decides }: StoreUser,
  logger: Logger,
): StoreOptions {
  const words = `toolwright ${command}`;
  return {
    url: settings.databaseUrl,
    folder: join(settings.state, "store"),
    cache: settings.cache,
    process: createRandomIds().next("prc"),
    holder: `${words} (process ${process.pid})`,
    ...(once && {
      only: { role: command, signal, onWait: (holder: string) => logger.log("warn", `Waiting for ${holder} to leave the store.`) },
    }),
    ...(settings.connections !== undefined && { connections: settings.connections }),
    brief,
    decides,
    ...(!stays && { pageCacheMb: pageCacheOfCommandMb }),
    periods: settings.keep,
    artifactQuotas: settings.artifactQuotas,
    onExpired: ({ id, tool }) => logger.log("info", `Approval ${id} of ${tool} expired: nobody answered it in time.`),
    warn: (message) => logger.log("warn", message),
  };
}
