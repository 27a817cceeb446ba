import { homedir } from "node:os";
import { join, resolve } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where approvals and artifacts are kept: `TOOLWRIGHT_STATE`, else the XDG state folder. */
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

/** One path part for any text: `/`, `.` and what a shell or file system reads in its own way are written as `%xx`. */
export function pathPart(text: string): string {
  return encodeURIComponent(text).replace(/[.!'()*~]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Ids as the engine makes them. Anything else names no file. */
export const isStoredId = (id: string) => /^[A-Za-z0-9_-]{1,128}$/.test(id);
