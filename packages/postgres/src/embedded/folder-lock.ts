import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export type FolderLock = { readonly unlock: () => unknown; readonly holder?: never } | { readonly unlock?: never; readonly holder: string };

/** Two files of a folder: one that is locked, and one that says by whom. */
interface LockFiles {
  readonly lock: string;
  readonly notes: string;
}

const ofTheDatabase: LockFiles = { lock: "lock.sqlite", notes: "holder.txt" };

/** What only one process of a folder may be, whichever process holds the database. */
export const filesOf = (role: string): LockFiles => ({ lock: `only-${role}.sqlite`, notes: `only-${role}-holder.txt` });

/**
 * Takes a folder for this process, or says who has it. The embedded database has no lock of its own, and two processes on one folder lose
 * data without a word. SQLite's exclusive lock is one of the kernel's: it ends with the process, however that ends.
 */
export function lockFolder(folder: string, holder: string, files = ofTheDatabase): FolderLock {
  const notes = join(folder, files.notes);
  const lock = takeLock(join(folder, files.lock));
  if (!lock) return { holder: readNotes(notes) };
  try {
    writeFileSync(`${notes}.new`, holder, { mode: 0o600 });
    renameSync(`${notes}.new`, notes);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { unlock: () => lock.isOpen && lock.close() };
}

/** Reads the name of the process that holds the lock. The file is missing for a moment after a process took the lock. */
function readNotes(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "another process";
  }
}

/** In exclusive mode the lock of the first transaction stays until the connection closes. */
const takingTheLock = ["PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "CREATE TABLE IF NOT EXISTS held (at INTEGER)", "COMMIT"];

function takeLock(file: string): DatabaseSync | undefined {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    for (const step of takingTheLock) lock.prepare(step).run();
    return lock;
  } catch (error) {
    lock.close();
    if (/locked|busy/i.test(String(error))) return undefined;
    throw error;
  }
}
