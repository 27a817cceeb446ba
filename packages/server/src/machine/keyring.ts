import { join, resolve } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { createKeyring, type Keyring, type MasterKey } from "@toolwright/postgres";
import type { ServerIo } from "../io.ts";
import { isInside, refuseInWorkspace, type Settings, type WorkspaceFolders } from "../settings.ts";
import { SettingsError } from "../settings-error.ts";
import { configurationFolder } from "../state/state-folder.ts";
import { createKeyFile, prependKey, readKeyFile } from "./keyring-file.ts";
import { parseKeys } from "./parse-keys.ts";

export interface LocalKeyring extends Keyring {
  /** Where the keys come from, for people. */
  readonly place: string;
  /** The one that encrypts, if there is one: to look makes none. */
  peek(): MasterKey | undefined;
  /** Puts a new key before the others. Throws a SettingsError when they come from the environment. */
  addKey(): void;
}

export interface KeyringOptions {
  /** For commands that may need no secret: keys that are missing or cannot be read are told when a secret is used. */
  readonly whenNeeded?: boolean | undefined;
}

/**
 * The master keys of this machine: from `TOOLWRIGHT_MASTER_KEY`, else from the file that `TOOLWRIGHT_MASTER_KEY_FILE` names, else from a file in
 * the configuration folder, which is made when the first secret is set. A file is read anew each time: a key that is added takes effect at once.
 */
export function openKeyring(
  { env, cwd, err }: Pick<ServerIo, "env" | "cwd" | "err">,
  places: WorkspaceFolders & Pick<Settings, "state">,
  { whenNeeded = false }: KeyringOptions = {},
): LocalKeyring {
  const given = env.TOOLWRIGHT_MASTER_KEY;
  const named = env.TOOLWRIGHT_MASTER_KEY_FILE;
  if (given && named) throw new SettingsError("TOOLWRIGHT_MASTER_KEY and TOOLWRIGHT_MASTER_KEY_FILE are both set. Leave one of them out.");
  if (given) return begin("TOOLWRIGHT_MASTER_KEY", () => fromEnvironment(given), whenNeeded);
  const path = named ? resolve(cwd, named) : join(configurationFolder(env), "master.key");
  refuseInWorkspace(path, { what: "file of the master key", places, remedy: "TOOLWRIGHT_MASTER_KEY_FILE" });
  const besideData = isInside(path, places.state)
    ? `The master key ${path} lies beside the database: whoever takes that folder can read all secrets. Move it, and name it in TOOLWRIGHT_MASTER_KEY_FILE.\n`
    : "";
  const tellMade = () =>
    err(
      `Made the master key of your secrets: ${path}\nKeep a copy of it apart from backups of the database: without it no secret can be read again. Every machine that uses this database needs it.\n${besideData}`,
    );
  const read = () => {
    const keys = readKeyFile(path);
    if (keys && besideData) err(besideData);
    if (named && !keys) throw missing(path);
    return fromFile(path, { isNamed: named !== undefined && named !== "", tellMade });
  };
  return begin(path, read, whenNeeded);
}

function begin(place: string, open: () => LocalKeyring, whenNeeded: boolean): LocalKeyring {
  if (!whenNeeded) return open();
  let opened: LocalKeyring | undefined;
  const keyring = () => (opened ??= open());
  return {
    place,
    current: () => keyring().current(),
    find: (id) => keyring().find(id),
    peek: () => keyring().peek(),
    addKey: () => keyring().addKey(),
  };
}

function fromEnvironment(given: string): LocalKeyring {
  const place = "TOOLWRIGHT_MASTER_KEY";
  const addKey = () => {
    throw new SettingsError(
      `The master keys come from ${place}. Put a new one before the others there (openssl rand -base64 32), and rotate again.`,
    );
  };
  const keyring = createKeyring(parseKeys(given, place));
  return { ...keyring, peek: keyring.current, place, addKey };
}

function fromFile(path: string, { isNamed, tellMade }: { readonly isNamed: boolean; readonly tellMade: () => void }): LocalKeyring {
  const peek = () => readKeyFile(path)?.[0];
  return {
    place: path,
    peek,
    current() {
      if (!isNamed && !peek() && createKeyFile(path)) tellMade();
      const key = peek();
      if (!key) throw missing(path);
      return key;
    },
    find: (id): MasterKey | undefined => readKeyFile(path)?.find((key) => key.id === id),
    addKey() {
      const isFirst = !peek();
      prependKey(path);
      if (isFirst) tellMade();
    },
  };
}

function missing(path: string): ToolwrightError {
  return new ToolwrightError(
    "secret_unreadable",
    `There is no key file ${path}. Put it back, or make one if there are no secrets yet: (umask 077; openssl rand -base64 32 > '${path.replaceAll("'", "'\\''")}')`,
  );
}
