import { constants, existsSync, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** A folder that is held open. */
export interface OpenFolder {
  readonly fd: number;
  /** Real path on the host at the time it was opened. Never shown. */
  readonly location: string;
}

/** How entries of an open folder are named in system calls: Node has no `openat`. */
export interface Anchoring {
  /** What it does not protect from, as a sentence for people; undefined when nothing is known. */
  readonly weakness?: string;
  /** The folder itself, as a path for system calls. */
  self(folder: OpenFolder): string;
  /** An entry of the folder, as a path for system calls. */
  entry(folder: OpenFolder, name: string): string;
  /** Where the open folder is now, or undefined when that cannot be told. */
  whereIs(folder: OpenFolder): string | undefined;
}

/** Linux: every call goes through the descriptor, so what happens to the folder's path in between does not matter. */
export const descriptorAnchoring: Anchoring = {
  self: ({ fd }) => `/proc/self/fd/${fd}`,
  entry: ({ fd }, name) => `/proc/self/fd/${fd}/${name}`,
  whereIs: ({ fd }) => readlinkSync(`/proc/self/fd/${fd}`),
};

/** Elsewhere: calls go through the real path, which is compared with the descriptor before and after. */
export const portableAnchoring: Anchoring = {
  weakness:
    "Without /proc a folder that another process swaps for a link and back between two system calls is not noticed, so run commands only in a sandbox.",
  self: ({ location }) => location,
  entry: ({ location }, name) => join(location, name),
  whereIs(folder) {
    try {
      const held = fstatSync(folder.fd);
      const named = lstatSync(folder.location);
      return held.ino === named.ino && held.dev === named.dev ? realpathSync(folder.location) : undefined;
    } catch {
      return undefined;
    }
  },
};

/** The strongest anchoring of this machine. */
export const bestAnchoring: Anchoring = existsSync("/proc/self/fd") ? descriptorAnchoring : portableAnchoring;

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);

/** Opens the workspace; a link that the operator gave as its root is followed once, here. Throws the system's error. */
export function openRoot(root: string): OpenFolder {
  const location = realpathSync(root);
  return { fd: openSync(location, folderFlags), location };
}

/** Opens a folder in an open folder ("." for itself), and never what a link points to. Throws the system's error. */
export function openInside(anchoring: Anchoring, folder: OpenFolder, name: string): OpenFolder {
  return openAs(folderFlags, { anchoring, folder, name });
}

/** Linux, open(2): a descriptor to walk through. A folder may be entered but not listed. */
const walkOnly = process.platform === "linux" ? 0o10000000 : 0;

/** Enters a folder, also one that may be entered but not listed. */
export function enterInside(anchoring: Anchoring, folder: OpenFolder, name: string): OpenFolder {
  try {
    return openInside(anchoring, folder, name);
  } catch (error) {
    if (walkOnly === 0 || (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    return openAs(folderFlags | walkOnly, { anchoring, folder, name });
  }
}

interface Named {
  readonly anchoring: Anchoring;
  readonly folder: OpenFolder;
  readonly name: string;
}

function openAs(flags: number, { anchoring, folder, name }: Named): OpenFolder {
  const fd = openSync(anchoring.entry(folder, name), flags | (constants.O_NOFOLLOW ?? 0));
  return { fd, location: join(folder.location, name) };
}
