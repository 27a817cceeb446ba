import { statfsSync } from "node:fs";
import { ToolwrightError } from "@toolwright/engine/errors";

const megabyte = 1024 * 1024;
/**
 * Bytes that stay free on the disk of an embedded store. Embedded PostgreSQL does not survive a full disk: it crashes where a piece of
 * its write-ahead log (16 MB) or a checkpoint finds no room, and then cannot even be read. So it takes no writes before that.
 */
const reservedBytes = 64 * megabyte;
/** What a checkpoint and recovery need at most: the pages in memory, and another piece of the log. */
const checkpointBytes = 32 * megabyte;
/** What a new store takes before anything is in it. */
const newStoreBytes = 64 * megabyte;

/** PostgreSQL's code for a full disk. */
const diskFull = "53100";

/** Bytes that the disk has left for this user; a disk that cannot be asked counts as one with room. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** True when the database may write. */
export const canWrite = (folder: string) => freeBytes(folder) >= reservedBytes;

/** True when it may be tidied and closed. */
export const canCheckpoint = (folder: string) => freeBytes(folder) >= checkpointBytes;

/** What PostgreSQL would say, with its code. */
export function noRoom(): Error {
  return Object.assign(new Error(`The disk has less than ${inMegabytes(reservedBytes)} left.`), { code: diskFull });
}

/** Throws when the store must not be opened now: to recover, it writes. */
export function requireRoom(folder: string, { isNew = false } = {}): void {
  const needed = isNew ? reservedBytes + newStoreBytes : checkpointBytes;
  const free = freeBytes(folder);
  if (free >= needed) return;
  throw new ToolwrightError(
    "store_failed",
    `The disk of the store ${folder} has ${inMegabytes(free)} left; the store needs ${inMegabytes(needed)} to be opened. Free some space, or choose a folder on another disk with TOOLWRIGHT_STATE. Nothing that was confirmed is lost.`,
    { details: { sqlState: diskFull } },
  );
}

const inMegabytes = (bytes: number) => `${Math.floor(bytes / megabyte)} MB`;
