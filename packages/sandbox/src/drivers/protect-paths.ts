import { lstatSync } from "node:fs";
import { join, normalize } from "node:path";
import type { ProcessSpec } from "@toolwright/engine/ports";
import { identify } from "../git-metadata/hold-folder.ts";

export interface Protection {
  /** Host paths that become mounts of themselves, in this order, after the workspace itself. */
  readonly mounts: readonly ProtectionMount[];
  /** Workspace-relative; something must be there before it can be covered. */
  readonly entries: readonly string[];
  readonly gaps: readonly string[];
  /** Differs when something else stands at a sealed path: a sandbox that was made before does not seal it. */
  readonly mark: string;
}

export interface ProtectionMount {
  readonly path: string;
  readonly writable: boolean;
  /** It is left out when it is gone by then. */
  readonly optional: boolean;
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
 * Covers each protected or sealed path with a read-only mount of itself. Its folders become mount points too: a mount point cannot be
 * renamed or removed, but a plain folder with a mount below it can, and another be put in its place.
 */
export function protectPaths(
  workspace: string,
  { writable, protectedPaths, sealedPaths = [] }: Pick<ProcessSpec, "writable" | "protectedPaths" | "sealedPaths">,
): Protection {
  const folders = new Set<string>();
  const entries = new Set<string>();
  const gaps: string[] = [];
  for (const path of writable ? protectedPaths : []) {
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
  const sealed = new Set(writable ? sealedPaths : []);
  const above = [...sealed].flatMap(foldersAbove);
  const optional = new Set([...sealed, ...above].filter((path) => !folders.has(path) && !entries.has(path)));
  const mount = (isWritable: boolean) => (entry: string) => ({
    path: join(workspace, entry),
    writable: isWritable,
    optional: optional.has(entry),
  });
  const covered = new Set([...entries, ...sealed]);
  const plainFolders = [...new Set([...folders, ...above])].filter((folder) => !covered.has(folder)).sort();
  return {
    mounts: [...plainFolders.map(mount(true)), ...[...covered].sort().map(mount(false))],
    entries: [...entries],
    gaps,
    mark: markOf(workspace, sealed),
  };
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** For the mounts of an engine that has no optional ones. */
export function presentMounts({ mounts }: Pick<Protection, "mounts">): readonly ProtectionMount[] {
  return mounts.filter(({ path, optional }) => !optional || lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

function markOf(workspace: string, paths: Iterable<string>): string {
  return [...paths]
    .map((path) => {
      const stats = lstatSync(join(workspace, path), { bigint: true, throwIfNoEntry: false });
      return `${path} ${stats === undefined ? "gone" : identify(stats)}`;
    })
    .join("\n");
}
