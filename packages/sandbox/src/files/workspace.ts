import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { type PathAccess, protectionOf } from "@toolwright/commands/targets";
import type { Ids, PathRoot } from "@toolwright/engine/ports";
import type { Anchoring } from "./anchor.ts";
import { refusePath } from "./file-errors.ts";

/** The moments of an operation between which something else may change the disk. */
export type FileStep = "walking" | "entering" | "walked" | "opened" | "temporary_opened" | "temporary_written" | "renaming";

/** The workspace of one call. */
export interface Workspace {
  /** As the operator gave it, absolute. */
  readonly root: string;
  /** Set for a folder that the policy opens beside the workspace: what it is open for. */
  readonly opened?: PathRoot["access"];
  /** Absolute prefixes, from `expandForbidden`. */
  readonly forbidden: readonly string[];
  readonly anchoring: Anchoring;
  readonly maxFileBytes: number;
  readonly ids: Ids;
  readonly signal: AbortSignal;
  /** True when the call may touch a path that is protected until somebody allows it. */
  readonly mayTouch: (path: string, access: PathAccess) => boolean;
  readonly onStep: (step: FileStep) => void;
}

const expanded = new WeakMap<readonly string[], readonly string[]>();

/** Forbidden prefixes with `~` expanded, each as it is written and as it really is. */
export function expandForbidden(prefixes: readonly string[]): readonly string[] {
  const known = expanded.get(prefixes);
  if (known) return known;
  const made = prefixes.flatMap((prefix) => {
    const written = prefix.replace(/^~(?=\/|$)/, homedir()).replace(/(?<=[^/])\/+$|(?<=^\/)\/+$/, "");
    try {
      return [written, realpathSync(written)];
    } catch {
      return [written];
    }
  });
  expanded.set(prefixes, made);
  return made;
}

interface PathRequest {
  /** Relative to the workspace, with links resolved. */
  readonly path: string;
  readonly access: PathAccess;
  /** The path as the call wrote it, which its decision may name. */
  readonly given?: string;
}

/**
 * Throws `path_refused` when rules keep the call away from a path. A forbidden prefix that holds the whole workspace does not count:
 * the operator put the workspace there. For a folder that the policy opens beside the workspace it does.
 */
export function permitPath(workspace: Workspace, root: string, { path, access, given = path }: PathRequest): void {
  if (workspace.opened === "read" && access !== "read")
    throw refusePath(path, "is in a folder that the policy opens for reading only (paths.roots); use a path inside the workspace");
  const location = fold(`${root}/${path}`);
  for (const prefix of workspace.forbidden.map(fold)) {
    if (isAtOrBelow(location, prefix) && (workspace.opened || !isAtOrBelow(fold(root), prefix)))
      throw refusePath(path, "is forbidden by the policy (paths.forbidden); use another path");
  }
  const protection = protectionOf(path, access);
  if (protection === "none") return;
  if (protection === "never") throw refusePath(path, `is protected: tools never ${access} it. Use another path`);
  if (workspace.mayTouch(path, access) || (given !== path && workspace.mayTouch(given, access))) return;
  const why =
    access === "read" ? "it may hold credentials" : "it may hold credentials, or a tool may obey it once somebody opens the folder";
  throw refusePath(path, `is protected: ${why}. To ${access} it needs a rule or an approval for this path`);
}

function fold(path: string): string {
  return path.normalize("NFKC").toLowerCase();
}

function isAtOrBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith("/") ? prefix : `${prefix}/`);
}
