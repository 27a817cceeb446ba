import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import type { PreparedSpec } from "./prepare-spec.ts";

/** A host path that a run must not see, by what stands there. */
export interface HiddenPlace {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Differs when another file took the name: a mount made for the one before would not cover it. */
  readonly identity: string;
}

/** Each is a mount of its own; thousands would make every command slow, and are nobody's credentials. */
const mostPlaces = 4000;

/**
 * What of `hiddenPaths` is there to be covered. A link is left: what it leads to is covered by its own name. In a folder that the run's user
 * may not enter nothing can be covered, so the folder is: its owner could open it.
 */
export function findHidden({ workspace, owner, spec }: Pick<PreparedSpec, "workspace" | "owner" | "spec">): readonly HiddenPlace[] {
  const { hiddenPaths = [] } = spec;
  if (hiddenPaths.length > mostPlaces)
    throw new ToolwrightError(
      "spawn_failed",
      `The command was not started: the workspace holds ${hiddenPaths.length} credential files, more than the ${mostPlaces} that can be hidden. Approve the call, or move them out of the workspace.`,
    );
  const places = new Map<string, HiddenPlace>();
  for (const entry of hiddenPaths) {
    const path = nearestReachable(workspace, entry, owner);
    const found = path.startsWith(`${workspace}/`) ? lstatSync(path, { throwIfNoEntry: false, bigint: true }) : undefined;
    if (!found || found.isSymbolicLink()) continue;
    // The number of a file that is gone is given to the next one at once; its time of birth is not.
    places.set(path, { path, isFolder: found.isDirectory(), identity: `${found.dev} ${found.ino} ${found.birthtimeNs}` });
  }
  return [...places.values()];
}

/** The path itself, or the first folder on the way that this user may not enter. */
function nearestReachable(workspace: string, entry: string, owner: PreparedSpec["owner"]): string {
  const parts = entry.split("/");
  for (let count = 1; count < parts.length; count++) {
    const folder = join(workspace, ...parts.slice(0, count));
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return folder;
    const right = found.uid === owner.uid ? 0o100 : found.gid === owner.gid ? 0o010 : 0o001;
    if ((found.mode & right) === 0) return folder;
  }
  return join(workspace, entry);
}

export interface EmptyPlaces {
  readonly file: string;
  readonly folder: string;
}

let made: (EmptyPlaces & { readonly at: string }) | undefined;

/** An empty file and an empty folder on the host, which every user can read: what stands in the place of what is hidden. */
export function emptyPlaces(): EmptyPlaces {
  if (made && isEmpty(made)) return made;
  const at = makeReachableFolder();
  const places = { at, file: join(at, "file"), folder: join(at, "folder") };
  writeFileSync(places.file, "");
  mkdirSync(places.folder);
  chmodSync(places.file, 0o444);
  chmodSync(places.folder, 0o555);
  chmodSync(at, 0o755);
  if (made === undefined) process.once("exit", () => made && rmSync(made.at, { recursive: true, force: true }));
  made = places;
  return places;
}

/** Something may have tidied the temporary folder, or used what lies in it. */
function isEmpty({ file, folder }: EmptyPlaces): boolean {
  try {
    return statSync(file).size === 0 && readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

/** A sandbox of another user has to get there, which a temporary folder of one user's own does not allow. */
function makeReachableFolder(): string {
  const parent = ["/tmp", "/var/tmp", tmpdir()].find((folder) => isOpenToAll(folder)) ?? tmpdir();
  return mkdtempSync(join(parent, "toolwright-empty-"));
}

function isOpenToAll(folder: string): boolean {
  try {
    if ((statSync(folder).mode & 0o1003) !== 0o1003) return false;
    for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
      if ((statSync(above).mode & 0o1) === 0) return false;
    return true;
  } catch {
    return false;
  }
}
