import { closeSync, constants, fchownSync, fstatSync, lstatSync, mkdirSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";

interface Placeholder {
  uses: number;
  /** Undefined for what was there before. */
  readonly inode: number | undefined;
}

const placeholders = new Map<string, Placeholder>();
const madeFolders = new Set<string>();
const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const createFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Calls back with a path through the held descriptor of the entry's folder. No component is followed as a link: the
 * workspace is hostile, and the spawner may be root.
 */
function inFolderOf<Result>(workspace: string, entry: string, use: (path: string, owner: { uid: number; gid: number }) => Result): Result {
  const parts = entry.split("/");
  let folder = openSync(workspace, openFolder);
  const owner = fstatSync(folder);
  try {
    for (const [index, part] of parts.slice(0, -1).entries()) {
      const path = `/proc/self/fd/${folder}/${part}`;
      const next = openOrMake(path, join(workspace, ...parts.slice(0, index + 1)), owner);
      closeSync(folder);
      folder = next;
    }
    return use(`/proc/self/fd/${folder}/${parts.at(-1)}`, owner);
  } finally {
    closeSync(folder);
  }
}

function openOrMake(path: string, name: string, owner: { uid: number; gid: number }): number {
  try {
    return openSync(path, openFolder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    mkdirSync(path);
    madeFolders.add(name);
    const made = openSync(path, openFolder);
    fchownSync(made, owner.uid, owner.gid);
    return made;
  }
}

/** Makes sure that something is at the path, so that a mount can cover it. */
export function holdPlaceholder(workspace: string, entry: string): void {
  const name = join(workspace, entry);
  const known = placeholders.get(name);
  if (known) known.uses++;
  else placeholders.set(name, { uses: 1, inode: inFolderOf(workspace, entry, createEmpty) });
}

function createEmpty(path: string, owner: { uid: number; gid: number }): number | undefined {
  try {
    const file = openSync(path, createFile, 0o600);
    fchownSync(file, owner.uid, owner.gid);
    const { ino } = fstatSync(file);
    closeSync(file);
    return ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

/** Removes the empty file after its last use, unless somebody made something of it meanwhile. */
export function releasePlaceholder(workspace: string, entry: string): void {
  const name = join(workspace, entry);
  const known = placeholders.get(name);
  if (known === undefined || --known.uses > 0) return;
  placeholders.delete(name);
  try {
    inFolderOf(workspace, entry, (path) => {
      const now = lstatSync(path);
      if (known.inode === now.ino && now.size === 0) unlinkSync(path);
    });
  } catch {}
  const parts = entry.split("/").slice(0, -1);
  for (; parts.length > 0; parts.pop()) removeMadeFolder(workspace, parts.join("/"));
}

function removeMadeFolder(workspace: string, entry: string): void {
  const name = join(workspace, entry);
  if (!madeFolders.has(name)) return;
  try {
    inFolderOf(workspace, entry, (path) => rmdirSync(path));
    madeFolders.delete(name);
  } catch {}
}
