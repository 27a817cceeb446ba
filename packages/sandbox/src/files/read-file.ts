import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from "node:fs";
import { promisify } from "node:util";
import { quotePath } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import { refusePath, reportMissing } from "./file-errors.ts";
import { actAt, addressOf, requireUnmoved, type Spot } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

// Without O_NONBLOCK, opening a pipe that took the file's place would wait for a writer for ever.
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const readChunk = promisify(read);

/**
 * Reads a whole regular file, as long as it was when it was opened; `path` is where it is, with links resolved.
 * Rejects with `file_too_large` when it is larger than `maxBytes` (default and most: the workspace's limit).
 */
export function readFile(
  workspace: Workspace,
  path: string,
  maxBytes: number = workspace.maxFileBytes,
): Promise<{ readonly bytes: Buffer; readonly path: string }> {
  return actAt(workspace, path, { access: "read", follow: true }, async (spot) => {
    const { bytes } = await readSpot(workspace, spot, Math.min(maxBytes, workspace.maxFileBytes));
    return { bytes, path: spot.path };
  });
}

/** Reads the file at a spot, with its state at the time it was opened. */
export async function readSpot(
  workspace: Workspace,
  spot: Spot,
  limit: number,
): Promise<{ readonly bytes: Buffer; readonly stats: Stats }> {
  requireRegular(spot.entry, spot.path);
  const fd = openSync(addressOf(workspace, spot), readFlags);
  try {
    const stats = fstatSync(fd);
    requireRegular(stats, spot.path);
    workspace.onStep("opened");
    requireUnmoved(workspace, spot);
    if (stats.size > limit) throw tooLarge(quotePath(spot.path), stats.size, limit);
    return { bytes: await readUpTo(fd, stats.size, workspace.signal), stats };
  } finally {
    closeSync(fd);
  }
}

/** Throws unless it is a regular file with one name: another name of the same file may be outside the workspace. */
export function requireRegular(entry: Stats | undefined, path: string): asserts entry is Stats {
  if (!entry) throw reportMissing(path, `There is no file ${quotePath(path)}; list the folder to see what there is.`);
  if (entry.isDirectory()) throw new ToolwrightError("not_a_file", `${quotePath(path || ".")} is a folder; name a file in it.`);
  if (!entry.isFile()) throw refusePath(path, "is a link, pipe, socket or device; only regular files are opened");
  if (entry.nlink > 1)
    throw refusePath(
      path,
      `has ${entry.nlink} names (hard links), of which some may be outside the workspace; replace it by a copy of its own`,
    );
}

export function tooLarge(what: string, size: number, limit: number): ToolwrightError {
  return new ToolwrightError("file_too_large", `${what} has ${size} bytes and the limit is ${limit}; work on it in parts.`, {
    details: { size, limit },
  });
}

/** Up to this size a read is a copy in memory, and handing it to another thread would take longer than doing it. */
const smallBytes = 64 * 1024;
const chunkBytes = 4 * 1024 * 1024;

async function readUpTo(fd: number, size: number, signal: AbortSignal): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(size);
  let length = 0;
  while (length < size) {
    signal.throwIfAborted();
    const range = [length, Math.min(chunkBytes, size - length), length] as const;
    const count = size <= smallBytes ? readSync(fd, buffer, ...range) : (await readChunk(fd, buffer, ...range)).bytesRead;
    if (count === 0) break;
    length += count;
  }
  return buffer.subarray(0, length);
}
