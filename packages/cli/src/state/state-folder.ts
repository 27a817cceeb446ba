import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the embedded store is kept: `TOOLWRIGHT_STATE`, else the XDG state folder. */
export function stateFolder(environment: Environment): string {
  if (environment.TOOLWRIGHT_STATE) return resolve(environment.TOOLWRIGHT_STATE);
  return join(environment.XDG_STATE_HOME || join(homeOf(environment), ".local", "state"), "toolwright");
}

/** For what can be made again: the XDG cache folder. */
export function cacheFolder(environment: Environment): string {
  return join(environment.XDG_CACHE_HOME || join(homeOf(environment), ".cache"), "toolwright");
}

/** Where the operator's own policy is looked for: the XDG configuration folder. */
export function configurationFolder(environment: Environment): string {
  return join(environment.XDG_CONFIG_HOME || join(homeOf(environment), ".config"), "toolwright");
}

function homeOf(environment: Environment): string {
  return environment.HOME || homedir();
}
