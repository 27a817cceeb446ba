import { fsyncSync, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { quotePath } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import type { FileChange } from "@toolwright/engine/ports";
import { explainFileError, refusePath } from "./file-errors.ts";
import { readSpot, requireRegular, tooLarge } from "./read-file.ts";
import { versionOf } from "./slice-lines.ts";
import { sweepTemporaries } from "./sweep-temporaries.ts";
import { addressOf, requireUnmoved, type Spot, walk } from "./walk.ts";
import type { Workspace } from "./workspace.ts";
import {
  changed,
  encode,
  isSame,
  removeQuietly,
  requireMissing,
  restoreFile,
  temporaryIn,
  type WrittenFile,
  writeTemporary,
} from "./write-file.ts";

/** A change with all that it takes, made before any file changes. */
interface Step {
  readonly change: FileChange;
  /** The file as it is; undefined for one that is added. */
  readonly old: { readonly spot: Spot; readonly bytes: Buffer; readonly stats: Stats } | undefined;
  /** Where the new content goes; undefined for a file that goes. */
  readonly target: Spot | undefined;
  /** The new content, whole on the disk. */
  temporary?: string;
}

/**
 * Changes several files, all or none. Whatever can be refused is refused, and every new content is on the disk, before the first file changes.
 * Then they change by one rename each, directly one after the other; should one fail, those before it are put back. What is removed goes last, so
 * that a process that dies in between loses no content.
 */
export async function changeFiles(workspace: Workspace, changes: readonly FileChange[]): Promise<readonly (string | undefined)[]> {
  const steps: Step[] = [];
  try {
    // What is there is checked before folders are made for what is new.
    const [there, added] = [changes.filter(({ kind }) => kind !== "add"), changes.filter(({ kind }) => kind === "add")];
    for (const change of [...there, ...added]) steps.push(await explained(change, () => prepare(workspace, change, steps)));
    for (const step of steps) await explained(step.change, () => writeContent(workspace, step));
    commit(workspace, steps);
    tidy(workspace, steps);
  } finally {
    for (const { old, target, temporary } of steps) {
      if (temporary !== undefined) removeQuietly(temporary);
      old?.spot[Symbol.dispose]();
      if (target !== old?.spot) target?.[Symbol.dispose]();
    }
  }
  return changes.map((change) => (change.kind === "delete" ? undefined : versionOf(encode(change.content))));
}

async function explained<Result>({ path }: FileChange, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    throw explainFileError(error, path);
  }
}

async function prepare(workspace: Workspace, change: FileChange, before: readonly Step[]): Promise<Step> {
  const { kind, path } = change;
  const moveTo = kind === "update" ? change.moveTo : undefined;
  if (kind === "add") return separate({ change, old: undefined, target: enterNew(workspace, path) }, before);
  const leaves = kind === "delete" || moveTo !== undefined;
  const spot = walk(workspace, path, { access: leaves ? "delete" : "write", follow: !leaves });
  try {
    requireRegular(spot.entry, spot.path);
    const held = before.reduce((sum, { old }) => sum + (old?.bytes.length ?? 0), 0);
    if (held + spot.entry.size > workspace.maxFileBytes)
      throw tooLarge("What changes together", held + spot.entry.size, workspace.maxFileBytes);
    const { bytes, stats } = await readSpot(workspace, spot, workspace.maxFileBytes);
    if (change.ifVersion !== undefined && versionOf(bytes) !== change.ifVersion) throw changed(spot.path);
    const target = kind === "delete" ? undefined : moveTo === undefined ? spot : enterNew(workspace, moveTo);
    return separate({ change, old: { spot, bytes, stats }, target }, before);
  } catch (error) {
    spot[Symbol.dispose]();
    throw error;
  }
}

function enterNew(workspace: Workspace, path: string): Spot {
  const spot = walk(workspace, path, { access: "write", follow: true, create: true });
  try {
    requireMissing(spot.entry, spot.path);
    return spot;
  } catch (error) {
    spot[Symbol.dispose]();
    throw error;
  }
}

const spotsOf = ({ old, target }: Step) => [old?.spot, target].filter((spot) => spot !== undefined);

/** Two paths may lead to one file, by links. */
function separate(step: Step, before: readonly Step[]): Step {
  const key = ({ folder, name }: Spot) => `${folder.location}/${name}`;
  const taken = new Set(before.flatMap(spotsOf).map(key));
  const twice = spotsOf(step).find((spot) => taken.has(key(spot)));
  if (!twice) return step;
  if (step.target !== step.old?.spot) step.target?.[Symbol.dispose]();
  throw refusePath(twice.path, "would change twice in one call; make one change of it");
}

async function writeContent(workspace: Workspace, step: Step): Promise<void> {
  const { change, target, old } = step;
  if (!target || change.kind === "delete") return;
  const bytes = encode(change.content);
  if (bytes.length > workspace.maxFileBytes) throw tooLarge("The content", bytes.length, workspace.maxFileBytes);
  step.temporary = addressOf(workspace, temporaryIn(workspace, target));
  const file: WrittenFile = { address: step.temporary, bytes, like: old?.stats, executable: change.executable };
  await writeTemporary(workspace, target, file);
}

/** One file that changes, and how it is put back. */
interface Act {
  readonly path: string;
  readonly act: () => void;
  readonly undo: () => void;
}

/** Nothing of this process comes in between: neither between the checks and the renames, nor between two renames. */
function commit(workspace: Workspace, steps: readonly Step[]): void {
  workspace.signal.throwIfAborted();
  for (const step of steps) requireAsSeen(workspace, step);
  const done: Act[] = [];
  for (const next of [...steps.flatMap((step) => arrivals(workspace, step)), ...steps.flatMap((step) => departures(workspace, step))]) {
    try {
      workspace.onStep("renaming");
      next.act();
      done.unshift(next);
    } catch (error) {
      throw putBack(done, explainFileError(error, next.path));
    }
  }
}

function requireAsSeen(workspace: Workspace, { old, target }: Step): void {
  if (old) {
    requireUnmoved(workspace, old.spot);
    if (!isSame(lstatSync(addressOf(workspace, old.spot), { throwIfNoEntry: false }), old.stats)) throw changed(old.spot.path);
  }
  if (!target || target === old?.spot) return;
  requireUnmoved(workspace, target);
  requireMissing(lstatSync(addressOf(workspace, target), { throwIfNoEntry: false }), target.path);
}

function arrivals(workspace: Workspace, { old, target, temporary }: Step): readonly Act[] {
  if (!target || temporary === undefined) return [];
  const address = addressOf(workspace, target);
  const isReplaced = target === old?.spot;
  const undo = () => (isReplaced ? restoreFile(workspace, old) : unlinkSync(address));
  return [{ path: target.path, act: () => renameSync(temporary, address), undo }];
}

function departures(workspace: Workspace, { old, target }: Step): readonly Act[] {
  if (!old || target === old.spot) return [];
  return [{ path: old.spot.path, act: () => unlinkSync(addressOf(workspace, old.spot)), undo: () => restoreFile(workspace, old) }];
}

/** What to throw once the files are as they were, or as far as they are. */
function putBack(done: readonly Act[], error: unknown): unknown {
  const kept = done.filter(({ undo }) => {
    try {
      undo();
      return false;
    } catch {
      return true;
    }
  });
  if (kept.length === 0) return error;
  const names = kept.map(({ path }) => quotePath(path)).join(", ");
  const told = ToolwrightError.is(error) ? error : new ToolwrightError("internal", "A file could not be changed.", { cause: error });
  return new ToolwrightError(told.code, `${told.message} What had changed before could not be put back: ${names}. Look at these files.`, {
    cause: error,
  });
}

function tidy(workspace: Workspace, steps: readonly Step[]): void {
  for (const { fd } of new Set(steps.flatMap(spotsOf).map(({ folder }) => folder))) fsyncSync(fd);
  for (const { target } of steps) if (target) sweepTemporaries(workspace, target.folder, target.name);
}
