import { userInfo } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { SettingsError } from "../settings-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the embedded store is kept: `TOOLWRIGHT_STATE`, else the XDG state folder. */
export function stateFolder(environment: Environment): string {
  if (environment.TOOLWRIGHT_STATE) return resolve(environment.TOOLWRIGHT_STATE);
  return join(absolute(environment.XDG_STATE_HOME) ?? join(homeOf(environment), ".local", "state"), "toolwright");
}

/** For what can be made again: the XDG cache folder. */
export function cacheFolder(environment: Environment): string {
  return join(absolute(environment.XDG_CACHE_HOME) ?? join(homeOf(environment), ".cache"), "toolwright");
}

/** Where the operator's own policy is looked for: the XDG configuration folder. */
export function configurationFolder(environment: Environment): string {
  return join(absolute(environment.XDG_CONFIG_HOME) ?? join(homeOf(environment), ".config"), "toolwright");
}

/** The user's entry in the system's list, and not `os.homedir()`, which is empty where HOME is: that would be the current folder. */
export function homeOf(environment: Environment): string {
  return absolute(environment.HOME) ?? absolute(listedHome()) ?? refuseHomeless();
}

function listedHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run as a number that nobody has given a name.
    return undefined;
  }
}

function refuseHomeless(): never {
  throw new SettingsError(
    "HOME is not set, and this system knows no home of its user. Set HOME to a folder of the user, with its whole path: what lasts, the policy and the master key are looked for there.",
  );
}

/** The XDG Base Directory Specification has relative paths ignored; an empty one is as good as none. */
function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}
