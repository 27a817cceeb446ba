import { closeSync, lstatSync, mkdirSync, readlinkSync, type Stats } from "node:fs";
import { judgePathText, maxPathParts, type PathAccess, quotePath } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import { isRepositoryShape } from "../git-metadata/classify-metadata.ts";
import { type OpenFolder, openInside } from "./anchor.ts";
import { explainFileError, refusePath, reportMissing } from "./file-errors.ts";
import { keepOwner } from "./keep-owner.ts";
import { permitPath, type Workspace } from "./workspace.ts";
import { openWorkspace, relativeParts, showPath, splitPath, stripRoot } from "./workspace-root.ts";

const maxLinks = 40;

/** Where a path leads: a name in a folder that is held open. Dispose of it to close the folders. */
export interface Spot extends Disposable {
  readonly folder: OpenFolder;
  /** Name in the folder; "." for the workspace itself. */
  readonly name: string;
  /** What is there, a link not followed; undefined when nothing is. */
  readonly entry: Stats | undefined;
  /** Relative to the workspace, with every link resolved; "" for the workspace itself. */
  readonly path: string;
  /** Real path of the workspace. Never shown. */
  readonly root: string;
}

interface WalkOptions {
  readonly access: PathAccess;
  /** Follow a link at the end of the path, too. */
  readonly follow: boolean;
  /** Create the folders that are missing. */
  readonly create?: boolean;
}

/**
 * Walks to a path part by part, with every folder held open and every link read, checked and walked again, as a kernel would do if
 * it could be told to stay inside. Synchronous on purpose: some ten calls of microseconds, between which this process changes nothing.
 * Throws `path_refused`, `file_not_found`, `not_a_file` or `workspace_missing`.
 */
export function walk(workspace: Workspace, path: string, options: WalkOptions): Spot {
  workspace.signal.throwIfAborted();
  const judged = judgePathText(path, options.access);
  if (!judged.ok) throw new ToolwrightError("path_refused", judged.reason);
  const root = openWorkspace(workspace);
  const stack = [root];
  try {
    workspace.onStep("walking");
    const parts = relativeParts(workspace, root, judged.path);
    const text = parts.join("/");
    const permit = (below: string) =>
      permitPath(workspace, root.location, { path: below, access: options.access, given: below === text ? path : below });
    // By the text alone first: whether a protected path exists is nobody's business.
    permit(text);
    const spot = follow({ workspace, options, permit, stack, names: [], links: 0 }, parts);
    permit(spot.path);
    if (options.access !== "read") refuseInRepository(workspace, stack, spot.path);
    workspace.onStep("walked");
    return spot;
  } catch (error) {
    closeAll(stack);
    throw explainFileError(error, showPath(workspace, root, judged.path));
  }
}

/** Throws `path_refused` unless the folder is still where it was opened: a folder that was moved away must not be used. */
export function requireUnmoved(workspace: Workspace, spot: Pick<Spot, "folder" | "path">): void {
  if (workspace.anchoring.whereIs(spot.folder) !== spot.folder.location)
    throw refusePath(spot.path, "was moved while it was opened; try again");
}

/** Path for system calls of what is at the spot. */
export function addressOf(workspace: Workspace, spot: Pick<Spot, "folder" | "name">): string {
  return workspace.anchoring.entry(spot.folder, spot.name);
}

/** Walks, acts at the spot, closes it, and speaks of failures in terms of the workspace. */
export async function actAt<Result>(
  workspace: Workspace,
  path: string,
  options: WalkOptions,
  act: (spot: Spot) => Promise<Result>,
): Promise<Result> {
  using spot = walk(workspace, path, options);
  try {
    return await act(spot);
  } catch (error) {
    throw explainFileError(error, spot.path);
  }
}

interface WalkState {
  readonly workspace: Workspace;
  readonly options: WalkOptions;
  /** Throws unless the path, relative to the workspace, may be touched. */
  readonly permit: (path: string) => void;
  /** The workspace and the folders below it that lead to here. */
  readonly stack: OpenFolder[];
  /** Names of the folders on the stack after the first. */
  readonly names: string[];
  links: number;
}

function follow(state: WalkState, parts: readonly string[]): Spot {
  const queue = [...parts];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (name === ".") continue;
    if (name === "..") climb(state);
    else {
      const entry = look(state, name);
      if (entry?.isSymbolicLink() && (queue.length > 0 || state.options.follow)) queue.unshift(...readLink(state, name, queue));
      else if (queue.length === 0) return toSpot(state, name, entry);
      else enter(state, { name, entry, rest: queue });
    }
  }
  return toFolderSpot(state);
}

/** A folder with the shape of a repository, or given it by this path, is one to git; its configuration is as protected as that of `.git`. */
function refuseInRepository(workspace: Workspace, stack: readonly OpenFolder[], path: string): void {
  const names = path.split("/");
  const has = (folder: OpenFolder, next: string | undefined) => (name: string) =>
    (name === next && name !== "HEAD") || lstatSync(workspace.anchoring.entry(folder, name), { throwIfNoEntry: false }) !== undefined;
  if (stack.some((folder, index) => isRepositoryShape(has(folder, names[index]))))
    throw refusePath(path, "is part of a git repository's own data, which tools never change. Use git, or another path");
}

function look({ workspace, stack }: WalkState, name: string): Stats | undefined {
  return lstatSync(workspace.anchoring.entry(stack.at(-1)!, name), { throwIfNoEntry: false });
}

function climb(state: WalkState): void {
  if (state.stack.length === 1) throw refusePath("..", "leaves the workspace; give a path inside it");
  closeAll(state.stack.splice(-1));
  state.names.pop();
}

function enter(state: WalkState, { name, entry, rest }: { name: string; entry: Stats | undefined; rest: readonly string[] }): void {
  const { workspace, options, permit, stack, names } = state;
  const here = stack.at(-1)!;
  const path = [...names, name].join("/");
  if (stack.length > maxPathParts) throw refusePath(path, `is more than ${maxPathParts} folders deep; use a shorter path`);
  if (!entry) {
    const isPlain = rest.every((part) => part !== "." && part !== "..");
    if (!options.create || !isPlain) throw reportMissing(path, `There is no folder ${quotePath(path)}; list the folder above it.`);
    permit([path, ...rest].join("/"));
    refuseInRepository(workspace, stack, [path, ...rest].join("/"));
    requireUnmoved(workspace, { folder: here, path });
    mkdirSync(workspace.anchoring.entry(here, name));
  }
  workspace.onStep("entering");
  const folder = openInside(workspace.anchoring, here, name);
  stack.push(folder);
  names.push(name);
  if (!entry) keepOwner(folder.fd, here.fd);
}

function readLink(state: WalkState, name: string, rest: readonly string[]): string[] {
  const { workspace, stack, names } = state;
  const path = [...names, name].join("/");
  // A protected name stays protected when it is a link: git obeys `.git/config` wherever `.git` points to.
  state.permit([path, ...rest].join("/"));
  if (++state.links > maxLinks) throw refusePath(path, "leads through too many links; use the path of the file itself");
  const target = readlinkSync(workspace.anchoring.entry(stack.at(-1)!, name));
  if (!target.startsWith("/")) return splitPath(target);
  const inside = stripRoot(workspace, stack[0]!, target);
  if (inside === undefined) throw refusePath(path, "is a link that leads out of the workspace; use a path inside it");
  closeAll(stack.splice(1));
  names.length = 0;
  return splitPath(inside);
}

function toSpot(state: WalkState, name: string, entry: Stats | undefined): Spot {
  const { stack, names } = state;
  const path = name === "." ? names.join("/") : [...names, name].join("/");
  return { folder: stack.at(-1)!, name, entry, path, root: stack[0]!.location, [Symbol.dispose]: () => closeAll(stack) };
}

/** The path ended with a folder that is open already: its spot is its name in the folder above. */
function toFolderSpot(state: WalkState): Spot {
  const name = state.names.pop();
  if (name === undefined) return toSpot(state, ".", look(state, "."));
  closeAll(state.stack.splice(-1));
  return toSpot(state, name, look(state, name));
}

function closeAll(folders: readonly OpenFolder[]): void {
  for (const { fd } of folders) closeSync(fd);
}
