import { randomBytes } from "node:crypto";
import { closeSync, constants, fstatSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { type MasterKey, masterKeyBytes } from "@toolwright/postgres";
import { makeFolder } from "../state/make-folder.ts";
import { describeSystemError } from "../text/system-words.ts";
import { parseKeys } from "./parse-keys.ts";

const heading = `# Master keys of Toolwright, one a line. The first encrypts, the others only decrypt what was encrypted before.
# Whoever has this file and the database can read all secrets. Who loses it has lost them. Keep a copy apart from backups of the database.
`;

/** The keys of a file, the one that encrypts first; undefined when there is no such file. Throws `secret_unreadable`. */
export function readKeyFile(path: string): readonly [MasterKey, ...MasterKey[]] | undefined {
  const text = readPrivate(path);
  return text === undefined ? undefined : parseKeys(text, `The key file ${path}`);
}

/** Makes a file with a new key; false when another process was first. */
export function createKeyFile(path: string): boolean {
  const draft = writeDraft(path, `${heading}${newKey()}\n`);
  try {
    // A link is there whole or not at all, and never in the place of another's.
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts a new key before those that are there, which stay. Throws `secret_unreadable`. */
export function prependKey(path: string): void {
  const lock = `${path}.lock`;
  holdLock(path, lock);
  try {
    const text = readPrivate(path) ?? heading;
    // Notes at the top stay there.
    renameSync(writeDraft(path, text.replace(/^(?!#)/m, `${newKey()}\n`)), path);
  } finally {
    rmSync(lock, { force: true });
  }
}

function newKey(): string {
  return randomBytes(masterKeyBytes).toString("base64");
}

/** Two at once would each drop the other's key. */
function holdLock(path: string, lock: string): void {
  try {
    closeSync(openBeside(path, lock));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    throw unreadable(`${lock} says that another process is adding a key. Wait for it; when there is none, remove that file.`);
  }
}

function writeDraft(path: string, text: string): string {
  const draft = `${path}.${randomBytes(8).toString("hex")}.draft`;
  const file = openBeside(path, draft);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return draft;
}

/** A new file in the folder of the keys, for their owner alone. */
function openBeside(path: string, file: string): number {
  try {
    makeFolder(dirname(path), 0o700);
    return openSync(file, "wx", 0o600);
  } catch (error) {
    if (codeOf(error) === "EEXIST" && (error as NodeJS.ErrnoException).syscall === "open") throw error;
    throw unreadable(
      `The key file ${path} cannot be made: ${describeSystemError(error)}. Let the user that runs this write to its folder, or make a key elsewhere and name it in TOOLWRIGHT_MASTER_KEY_FILE.`,
      error,
    );
  }
}

/** Looks at the kind and the rights of the very file that it reads. */
function readPrivate(path: string): string | undefined {
  let file: number;
  try {
    // A pipe that nobody writes to would be waited for.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw unreadable(
      `The key file ${path} cannot be read (${codeOf(error)}). Make it readable for the user that runs this, or name another one in TOOLWRIGHT_MASTER_KEY_FILE.`,
      error,
    );
  }
  try {
    const stats = fstatSync(file);
    const { mode } = stats;
    if (!stats.isFile())
      throw unreadable(`${path} is no regular file, so it holds no master key. Name the file with the key in TOOLWRIGHT_MASTER_KEY_FILE.`);
    if (process.platform !== "win32" && (mode & 0o077) !== 0)
      throw unreadable(
        `The key file ${path} may be read or written by others (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 '${path.replaceAll("'", "'\\''")}'`,
      );
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function unreadable(message: string, cause?: unknown): ToolwrightError {
  return new ToolwrightError("secret_unreadable", message, { cause });
}

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}
