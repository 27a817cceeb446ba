import { closeSync, lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { quotePath } from "@toolwright/commands/targets";
import { type Logger, ToolwrightError } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import { type Anchoring, type OpenFolder, openInside } from "../files/anchor.ts";
import { explainFileError } from "../files/file-errors.ts";
import { keepOwner } from "../files/keep-owner.ts";
import { actAt, addressOf, requireUnmoved, type Spot, walk } from "../files/walk.ts";
import type { Workspace } from "../files/workspace.ts";
import { openWorkspace } from "../files/workspace-root.ts";
import type { Checkout } from "./inspect-checkout.ts";

const prefix = ".toolwright-clone-";
/** Longer than any clone takes: what is older was left behind by a server that ended in the middle. */
const staleMs = 2 * 60 * 60 * 1000;
const repository = "repository";

/** A folder of the workspace in which a clone grows until it is whole. */
export interface Staging {
  /** Relative to the workspace. */
  readonly name: string;
  /** Real path of the workspace. Never shown. */
  readonly root: string;
  /** The repository, held open while `act` looks at it. */
  visit<Result>(act: (checkout: Checkout) => Promise<Result>): Promise<Result>;
  /** Puts the repository where it was asked for, by one rename. Throws `file_exists`. */
  publish(path: string): Promise<string>;
  /** Never rejects: what cannot be removed is told in the operator's log, and swept later. */
  remove(): Promise<void>;
}

interface Surroundings {
  readonly clock: Clock;
  readonly logger: Logger;
}

export function openStaging(workspace: Workspace, { logger }: Surroundings): Staging {
  const { anchoring } = workspace;
  const root = openWorkspace(workspace);
  const name = workspace.ids.next(prefix.slice(0, -1)).replace("_", "-");
  try {
    mkdirSync(anchoring.entry(root, name), 0o700);
    const folder = openInside(anchoring, root, name);
    keepOwner(folder.fd, root.fd);
    const close = () => {
      closeSync(folder.fd);
      closeSync(root.fd);
    };
    return {
      name,
      root: root.location,
      visit: (act) => visit(anchoring, folder, act),
      publish: (path) => publish(workspace, path, anchoring.entry(folder, repository)),
      remove: () => removeQuietly({ anchoring, root, name, logger }).finally(close),
    };
  } catch (error) {
    closeSync(root.fd);
    throw explainFileError(error, name);
  }
}

async function visit<Result>(anchoring: Anchoring, staging: OpenFolder, act: (checkout: Checkout) => Promise<Result>): Promise<Result> {
  const folder = openInside(anchoring, staging, repository);
  try {
    return await act({ anchoring, folder });
  } catch (error) {
    throw explainFileError(error, ".");
  } finally {
    closeSync(folder.fd);
  }
}

/** Throws `file_exists` where there is something already; folders on the way may be missing. */
export function requireFree(workspace: Workspace, path: string): void {
  try {
    using spot = walk(workspace, path, { access: "write", follow: false });
    refuseTaken(spot);
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "file_not_found") throw error;
  }
}

function refuseTaken({ entry, path }: Pick<Spot, "entry" | "path">): void {
  if (entry)
    throw new ToolwrightError(
      "file_exists",
      `There is already something at ${quotePath(path || ".")}; choose another path, or delete it first.`,
    );
}

function publish(workspace: Workspace, path: string, staged: string): Promise<string> {
  return actAt(workspace, path, { access: "write", follow: false, create: true }, async (spot) => {
    requireUnmoved(workspace, spot);
    refuseTaken(spot);
    renameSync(staged, addressOf(workspace, spot));
    return spot.path;
  });
}

/** Removes what ended servers left behind, and says so in the operator's log. */
export async function sweepStale(workspace: Workspace, { clock, logger }: Surroundings): Promise<void> {
  const { anchoring } = workspace;
  const root = openWorkspace(workspace);
  try {
    for (const name of readdirSync(anchoring.self(root)).filter((entry) => entry.startsWith(prefix))) {
      const entry = lstatSync(anchoring.entry(root, name), { throwIfNoEntry: false });
      if (!entry?.isDirectory() || clock.now() - entry.mtimeMs < staleMs) continue;
      logger.log("warn", "A server ended in the middle of a clone and left its folder in the workspace. It is removed.", { name });
      await removeQuietly({ anchoring, root, name, logger });
    }
  } finally {
    closeSync(root.fd);
  }
}

interface Removal {
  readonly anchoring: Anchoring;
  readonly root: OpenFolder;
  readonly name: string;
  readonly logger: Logger;
}

async function removeQuietly({ anchoring, root, name, logger }: Removal): Promise<void> {
  try {
    await removeTree(anchoring, root, name);
  } catch (error) {
    logger.log("warn", "The folder of a clone could not be removed from the workspace.", { name, error: (error as Error).message });
  }
}

/** Removes what is there, if anything. Links are removed, never followed, whatever is swapped meanwhile. */
async function removeTree(anchoring: Anchoring, parent: OpenFolder, name: string): Promise<void> {
  const address = anchoring.entry(parent, name);
  const entry = lstatSync(address, { throwIfNoEntry: false });
  if (!entry) return;
  if (!entry.isDirectory()) {
    unlinkSync(address);
    return;
  }
  const folder = openInside(anchoring, parent, name);
  try {
    // A large tree must not keep the whole process busy.
    await setImmediate();
    for (const child of readdirSync(anchoring.self(folder))) await removeTree(anchoring, folder, child);
  } finally {
    closeSync(folder.fd);
  }
  rmdirSync(address);
}
