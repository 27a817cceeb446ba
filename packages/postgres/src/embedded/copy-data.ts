import { randomUUID } from "node:crypto";
import { constants, readdirSync, rmSync } from "node:fs";
import { copyFile, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const log = "pg_wal";
/** Files that belong to a running process or are of no use to another one. */
const left: ReadonlySet<string> = new Set(["postmaster.pid", "postmaster.opts", "pgsql_tmp", "pg_stat_tmp"]);

/**
 * Copies the files of a database that is written to meanwhile and whose checkpoints are held. The write-ahead log comes last: PostgreSQL
 * recovers from it as after a crash at that moment, whatever of the other files was copied before or after a change (PostgreSQL
 * documentation, 25.3; full pages are written to the log after each checkpoint).
 */
export async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  const names = (await readdir(from)).filter((name) => !left.has(name)).sort((one, other) => Number(one === log) - Number(other === log));
  for (const name of names) await copyTree(join(from, name), join(to, name));
}

async function copyTree(from: string, to: string): Promise<void> {
  const found = await orGone(stat(from));
  if (!found) return;
  if (!found.isDirectory()) {
    await orGone(copyFile(from, to, constants.COPYFILE_FICLONE));
    return;
  }
  await mkdir(to, { mode: 0o700 });
  // By name, as the pieces of the log follow each other.
  for (const name of (await readdir(from)).sort()) if (!left.has(name)) await copyTree(join(from, name), join(to, name));
}

/** A table that was emptied or removed meanwhile leaves no file; the log says so, too. */
async function orGone<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Bytes that a folder takes. */
export async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) bytes += (await orGone(stat(join(entry.parentPath, entry.name))))?.size ?? 0;
  return bytes;
}

const namePattern = /^toolwright-copy-(\d+)-[0-9a-f]{8}$/;

/** Names a copy that this process makes. */
export const nameCopy = () => `toolwright-copy-${process.pid}-${randomUUID().slice(0, 8)}`;

/** Removes copies of processes that were killed in the middle. */
export function removeLeftCopies(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, pid] = namePattern.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
