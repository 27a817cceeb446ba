import { closeSync, lstatSync, opendirSync, type Stats } from "node:fs";
import { makeVisible, quotePath } from "@toolwright/commands/targets";
import type { ToolwrightError } from "@toolwright/engine";
import type { FileEntry } from "@toolwright/engine/ports";
import { type OpenFolder, openInside } from "./anchor.ts";
import { reportMissing } from "./file-errors.ts";
import { actAt, requireUnmoved, type Spot } from "./walk.ts";
import { permitPath, type Workspace } from "./workspace.ts";

const defaultEntries = 1000;
const mostEntries = 10_000;
const mostDepth = 64;
/** Names that are read of one folder; what is beyond is said to be missing. */
const mostNames = 50_000;

export interface Listing {
  readonly entries: readonly FileEntry[];
  readonly truncated: boolean;
}

/** What is at a path, a link not followed. */
export function statEntry(workspace: Workspace, path: string): Promise<FileEntry> {
  return actAt(workspace, path, { access: "read", follow: false }, async (spot) => {
    if (!spot.entry) throw missing(spot.path);
    return toEntry(spot.path, spot.entry);
  });
}

/**
 * Lists what is below a folder, to a depth (default 1: its own entries). Folders that the call may not read, `.git` among them unless
 * it is asked for by name, are listed and not opened.
 */
export function listFolder(workspace: Workspace, path: string, { depth = 1, limit = defaultEntries } = {}): Promise<Listing> {
  return actAt(workspace, path, { access: "read", follow: true }, async (spot) => {
    if (!spot.entry) throw missing(spot.path);
    const folder = openInside(workspace.anchoring, spot.folder, spot.name);
    const tree: Tree = { workspace, spot, entries: [], limit: Math.min(limit, mostEntries), truncated: false };
    try {
      collect(tree, { folder, path: spot.path, depth: Math.min(depth, mostDepth) });
    } finally {
      closeSync(folder.fd);
    }
    const entries = tree.entries.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { entries, truncated: tree.truncated };
  });
}

/** Names in an open folder, in code-unit order; `complete` is false when there are more than are ever read. */
export function readNames(workspace: Workspace, folder: OpenFolder): { readonly names: string[]; readonly complete: boolean } {
  const directory = opendirSync(workspace.anchoring.self(folder), { bufferSize: 256 });
  const names: string[] = [];
  let next = directory.readSync();
  for (; next && names.length < mostNames; next = directory.readSync()) names.push(next.name);
  directory.closeSync();
  return { names: names.sort(), complete: next === null };
}

interface Tree {
  readonly workspace: Workspace;
  readonly spot: Spot;
  readonly entries: FileEntry[];
  readonly limit: number;
  truncated: boolean;
}

function collect(tree: Tree, { folder, path, depth }: { folder: OpenFolder; path: string; depth: number }): void {
  const { workspace, entries } = tree;
  workspace.onStep("opened");
  requireUnmoved(workspace, { folder, path });
  const { names, complete } = readNames(workspace, folder);
  if (!complete) tree.truncated = true;
  for (const name of names) {
    if (entries.length >= tree.limit) {
      tree.truncated = true;
      return;
    }
    const stats = lstatSync(workspace.anchoring.entry(folder, name), { throwIfNoEntry: false });
    if (!stats) continue;
    const below = path === "" ? name : `${path}/${name}`;
    entries.push(toEntry(below, stats));
    if (stats.isDirectory() && depth > 1 && name !== ".git" && mayRead(tree, below))
      descend(tree, { parent: folder, name, path: below, depth: depth - 1 });
  }
}

function descend(tree: Tree, { parent, name, path, depth }: { parent: OpenFolder; name: string; path: string; depth: number }): void {
  let folder: OpenFolder;
  try {
    tree.workspace.onStep("entering");
    folder = openInside(tree.workspace.anchoring, parent, name);
  } catch {
    // Taken away, replaced or not permitted since it was seen.
    tree.truncated = true;
    return;
  }
  try {
    collect(tree, { folder, path, depth });
  } finally {
    closeSync(folder.fd);
  }
}

function mayRead({ workspace, spot }: Tree, path: string): boolean {
  try {
    permitPath(workspace, spot.root, { path, access: "read" });
    return true;
  } catch {
    return false;
  }
}

function toEntry(path: string, stats: Stats): FileEntry {
  const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : stats.isSymbolicLink() ? "link" : "other";
  return { path: makeVisible(path || "."), kind, size: kind === "file" ? stats.size : 0, modifiedAt: Math.round(stats.mtimeMs) };
}

function missing(path: string): ToolwrightError {
  return reportMissing(path, `There is nothing at ${quotePath(path || ".")}; list the folder above it.`);
}
