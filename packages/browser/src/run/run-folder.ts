import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "toolwright-browser-";
/** Whom Chromium is where this process is root: its own sandbox wants a user that is not. */
const nobody = 65_534;

/** An empty folder for what one browser writes, which its user alone may enter. */
export function makeRunFolder(): string {
  sweepRunFolders();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  chmodSync(folder, 0o700);
  return folder;
}

export function removeRunFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** What processes left that were killed: their browsers ended with them, their folders did not. */
function sweepRunFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid)) removeRunFolder(join(tmpdir(), name));
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
