import { accessSync, constants, existsSync, mkdirSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname } from "node:path";
import { ToolwrightError } from "@toolwright/engine/errors";

/** What the system says of a folder, for the person who named it. */
const meanings: Readonly<Record<string, string>> = {
  EACCES: "this user has no right to",
  EPERM: "this user has no right to",
  EROFS: "its disk can only be read",
  EEXIST: "there is something there that is no folder",
  ENOTDIR: "a part of the path is no folder",
  ENOENT: "nothing can be made there",
  ENOSPC: "its disk is full",
};

/** Makes a folder for this user alone where it is missing, and looks whether he can write there. Throws `store_failed`. */
export function requireStoreFolder(folder: string): void {
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code = "", path = folder, syscall } = error as NodeJS.ErrnoException;
    throw unusable(folder, `${syscall === "mkdir" ? "make" : "write to"} ${path}, but ${meanings[code] ?? String(error)} (${code})`, error);
  }
}

/** Files of another user in a folder of one's own: left by a start as root, for example. */
export function unusableFiles(folder: string, error: unknown): ToolwrightError {
  return unusable(folder, `lock it with its files *.sqlite, but SQLite says: ${(error as Error).message}`, error);
}

function unusable(folder: string, tried: string, cause: unknown): ToolwrightError {
  return new ToolwrightError(
    "store_failed",
    `The store cannot be kept in ${folder}: tried to ${tried}. This process runs as ${describeUser()}. Give that user the folder with all that is in it, or name another folder with TOOLWRIGHT_STATE.`,
    { cause },
  );
}

/** One by one: Node's recursive way never ends where nothing can be made in a folder that is there, as in /proc. */
export function makeFolder(folder: string): void {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

function describeUser(): string {
  try {
    const { username, uid } = userInfo();
    return `the user ${username} (${uid})`;
  } catch {
    // In a container, a number may have no name.
    return `the user ${process.geteuid?.() ?? "of this process"}`;
  }
}
