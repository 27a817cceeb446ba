import { lstatSync } from "node:fs";
import { join, normalize } from "node:path";

export interface Protection {
  /** Host paths that become mounts of themselves, in this order, after the workspace itself. */
  readonly mounts: readonly { readonly path: string; readonly writable: boolean }[];
  /** Workspace-relative; something must be there before it can be covered. */
  readonly entries: readonly string[];
  readonly gaps: readonly string[];
}

interface Place {
  readonly folders: readonly string[];
  readonly entry: string;
  readonly isLink: boolean;
}

/** Walks down to the entry; what is not a folder on the way is what has to be protected. */
function locate(workspace: string, path: string): Place {
  const parts = path.split("/");
  const folders: string[] = [];
  for (const [index] of parts.entries()) {
    const entry = parts.slice(0, index + 1).join("/");
    const found = lstatSync(join(workspace, entry), { throwIfNoEntry: false });
    if (index === parts.length - 1) return { folders, entry, isLink: found?.isSymbolicLink() ?? false };
    if (found !== undefined && !found.isDirectory()) return { folders, entry, isLink: found.isSymbolicLink() };
    folders.push(entry);
  }
  return { folders, entry: path, isLink: false };
}

/**
 * Covers each protected path with a read-only mount of itself. Its folders become mount points too: a mount point cannot be
 * renamed or removed, but a plain folder with a mount below it can, and another be put in its place.
 */
export function protectPaths(workspace: string, paths: readonly string[]): Protection {
  const folders = new Set<string>();
  const entries = new Set<string>();
  const gaps: string[] = [];
  for (const path of paths) {
    const relative = normalize(path).replace(/\/+$/, "");
    if (relative === "." || relative.startsWith("../") || relative === ".." || relative.startsWith("/")) continue;
    const place = locate(workspace, relative);
    if (place.isLink) {
      gaps.push(`${place.entry} is a link, so it could be replaced although ${path} is protected.`);
      continue;
    }
    for (const folder of place.folders) folders.add(folder);
    entries.add(place.entry);
  }
  const mount = (writable: boolean) => (entry: string) => ({ path: join(workspace, entry), writable });
  const plainFolders = [...folders].filter((folder) => !entries.has(folder)).sort();
  const mounts = [...plainFolders.map(mount(true)), ...[...entries].sort().map(mount(false))];
  return { mounts, entries: [...entries], gaps };
}
