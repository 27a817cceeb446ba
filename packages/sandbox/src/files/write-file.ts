import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { quotePath } from "@toolwright/commands/targets";
import { type Files, ToolwrightError } from "@toolwright/engine";
import { keepOwner } from "./keep-owner.ts";
import { readSpot, requireRegular, tooLarge } from "./read-file.ts";
import { versionOf } from "./slice-lines.ts";
import { sweepTemporaries } from "./sweep-temporaries.ts";
import { actAt, addressOf, requireUnmoved, type Spot } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

type WriteOptions = NonNullable<Parameters<Files["write"]>[2]>;
type Written = Awaited<ReturnType<Files["write"]>>;

const temporaryFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const syncDescriptor = promisify(fsync);

/**
 * Writes a file whole: into a temporary file beside it, to the disk, and then over it by one rename in the folder that is held open.
 * `ifVersion` and `ifMissing` are checked directly before the rename, with nothing of this process in between.
 */
export async function writeFile(
  workspace: Workspace,
  path: string,
  content: string | Uint8Array,
  options: WriteOptions = {},
): Promise<Written> {
  const bytes = encode(content);
  if (bytes.length > workspace.maxFileBytes) throw tooLarge("The content", bytes.length, workspace.maxFileBytes);
  const create = options.ifVersion === undefined;
  return await actAt(workspace, path, { access: "write", follow: true, create }, async (spot) => {
    if (spot.entry) requireRegular(spot.entry, spot.path);
    if (options.ifMissing) requireMissing(spot.entry, spot.path);
    const seen = options.ifVersion === undefined ? undefined : await requireVersion(workspace, spot, options.ifVersion);
    const temporary = addressOf(workspace, temporaryIn(workspace, spot));
    try {
      await writeTemporary(workspace, spot, { address: temporary, bytes, like: spot.entry });
      workspace.onStep("renaming");
      commit(workspace, spot, { temporary, options, seen });
    } catch (error) {
      removeQuietly(temporary);
      throw error;
    }
    await syncDescriptor(spot.folder.fd);
    sweepTemporaries(workspace, spot.folder, spot.name);
    return { bytes: bytes.length, created: !spot.entry, version: versionOf(bytes) };
  });
}

export function encode(content: string | Uint8Array): Uint8Array {
  if (typeof content !== "string") return content;
  if (!content.isWellFormed())
    throw new ToolwrightError("invalid_input", "The text holds half of a surrogate pair, which UTF-8 cannot hold; correct it.");
  return Buffer.from(content);
}

/** The file beside a spot that a write fills before it renames it. */
export const temporaryIn = ({ ids }: Workspace, { folder }: Pick<Spot, "folder">) => ({ folder, name: `.${ids.next("toolwright")}.tmp` });

export interface WrittenFile {
  /** Address of the temporary file. */
  readonly address: string;
  readonly bytes: Uint8Array;
  /** The file whose mode and owner it gets; undefined for those that new files get. */
  readonly like: Stats | undefined;
  /** Undefined leaves the mode as it is. */
  readonly executable?: boolean | undefined;
}

export async function writeTemporary(workspace: Workspace, spot: Spot, file: WrittenFile): Promise<void> {
  requireUnmoved(workspace, spot);
  const handle = await open(file.address, temporaryFlags, firstMode(file));
  try {
    workspace.onStep("temporary_opened");
    await handle.writeFile(file.bytes, { signal: workspace.signal });
    takeAfter(handle.fd, spot, file);
    await handle.sync();
    workspace.onStep("temporary_written");
  } finally {
    await handle.close();
  }
}

/** Writes a file back as it was, at once. */
export function restoreFile(workspace: Workspace, old: { readonly spot: Spot; readonly bytes: Uint8Array; readonly stats: Stats }): void {
  const temporary = addressOf(workspace, temporaryIn(workspace, old.spot));
  const file: WrittenFile = { address: temporary, bytes: old.bytes, like: old.stats };
  const fd = openSync(temporary, temporaryFlags, firstMode(file));
  try {
    writeFileSync(fd, old.bytes);
    takeAfter(fd, old.spot, file);
    fsyncSync(fd);
    renameSync(temporary, addressOf(workspace, old.spot));
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Nobody may read the new content of a private file while it is temporary. */
const firstMode = ({ like }: WrittenFile) => (like ? 0o600 : 0o666);

function takeAfter(fd: number, { folder }: Spot, { like, executable }: WrittenFile): void {
  keepOwner(fd, like ?? folder.fd);
  // Set-user-id does not survive new content, as in any write.
  const mode = (like ?? fstatSync(fd)).mode & 0o777;
  const wanted = executable === undefined ? mode : executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
  if (like || wanted !== mode) fchmodSync(fd, wanted);
}

interface Commit {
  readonly temporary: string;
  readonly options: WriteOptions;
  readonly seen: Stats | undefined;
}

function commit(workspace: Workspace, spot: Spot, { temporary, options, seen }: Commit): void {
  workspace.signal.throwIfAborted();
  requireUnmoved(workspace, spot);
  const target = addressOf(workspace, spot);
  if (options.ifMissing || seen) {
    const now = lstatSync(target, { throwIfNoEntry: false });
    if (options.ifMissing) requireMissing(now, spot.path);
    if (seen && !isSame(now, seen)) throw changed(spot.path);
  }
  renameSync(temporary, target);
}

async function requireVersion(workspace: Workspace, spot: Spot, version: string): Promise<Stats> {
  if (!spot.entry) throw changed(spot.path);
  const { bytes, stats } = await readSpot(workspace, spot, workspace.maxFileBytes);
  if (versionOf(bytes) !== version) throw changed(spot.path);
  return stats;
}

export function requireMissing(entry: Stats | undefined, path: string): void {
  if (entry)
    throw new ToolwrightError("file_exists", `There is already a file ${quotePath(path)}; choose another name, or read and edit it.`);
}

export function isSame(now: Stats | undefined, seen: Stats): boolean {
  return now?.ino === seen.ino && now.size === seen.size && now.mtimeMs === seen.mtimeMs && now.ctimeMs === seen.ctimeMs;
}

export function changed(path: string): ToolwrightError {
  return new ToolwrightError("file_changed", `${quotePath(path)} is not the version that was read; read it again before you write.`);
}

export function removeQuietly(address: string): void {
  try {
    unlinkSync(address);
  } catch {
    // It was never made, or the folder is gone with it; the first error is the one to tell.
  }
}
