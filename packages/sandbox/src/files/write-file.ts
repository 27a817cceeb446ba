import { constants, fchmodSync, fsync, lstatSync, renameSync, type Stats, unlinkSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
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
    const temporary = { folder: spot.folder, name: `.${workspace.ids.next("toolwright")}.tmp` };
    try {
      await writeTemporary(workspace, spot, { address: addressOf(workspace, temporary), bytes });
      workspace.onStep("renaming");
      commit(workspace, spot, { temporary: addressOf(workspace, temporary), options, seen });
    } catch (error) {
      removeQuietly(addressOf(workspace, temporary));
      throw error;
    }
    await syncDescriptor(spot.folder.fd);
    sweepTemporaries(workspace, spot.folder, spot.name);
    return { bytes: bytes.length, created: !spot.entry, version: versionOf(bytes) };
  });
}

function encode(content: string | Uint8Array): Uint8Array {
  if (typeof content !== "string") return content;
  if (!content.isWellFormed())
    throw new ToolwrightError("invalid_input", "The text holds half of a surrogate pair, which UTF-8 cannot hold; correct it.");
  return Buffer.from(content);
}

async function writeTemporary(
  workspace: Workspace,
  spot: Spot,
  file: { readonly address: string; readonly bytes: Uint8Array },
): Promise<void> {
  requireUnmoved(workspace, spot);
  // Nobody may read the new content of a private file while it is temporary.
  const handle = await open(file.address, temporaryFlags, spot.entry ? 0o600 : 0o666);
  try {
    workspace.onStep("temporary_opened");
    await handle.writeFile(file.bytes, { signal: workspace.signal });
    takeAfter(handle, spot);
    await handle.sync();
    workspace.onStep("temporary_written");
  } finally {
    await handle.close();
  }
}

function takeAfter({ fd }: FileHandle, { entry, folder }: Spot): void {
  keepOwner(fd, entry ?? folder.fd);
  // Set-user-id does not survive new content, as in any write.
  if (entry) fchmodSync(fd, entry.mode & 0o777);
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

function requireMissing(entry: Stats | undefined, path: string): void {
  if (entry)
    throw new ToolwrightError("file_exists", `There is already a file ${quotePath(path)}; choose another name, or read and edit it.`);
}

function isSame(now: Stats | undefined, seen: Stats): boolean {
  return now?.ino === seen.ino && now.size === seen.size && now.mtimeMs === seen.mtimeMs && now.ctimeMs === seen.ctimeMs;
}

function changed(path: string): ToolwrightError {
  return new ToolwrightError("file_changed", `${quotePath(path)} is not the version that was read; read it again before you write.`);
}

function removeQuietly(address: string): void {
  try {
    unlinkSync(address);
  } catch {
    // It was never made, or the folder is gone with it; the first error is the one to tell.
  }
}
