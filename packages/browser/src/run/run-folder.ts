import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "toolwright-browser-";
/** Whom Chromium is where this process is root: its own sandbox wants a user that is not. */
const nobody = 65_534;

/** An empty folder for what one browser writes, which its user alone may enter. Its name says whose it is: process, start, space of process ids. */
export function makeRunFolder(): string {
  sweepRunFolders();
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-${startOf(process.pid)}-${spaceOfIds()}-`));
  if (process.getuid?.() === 0) chownSync(folder, nobody, nobody);
  chmodSync(folder, 0o700);
  return folder;
}

/** Never throws: what cannot be removed now goes when the next browser starts after this process. */
export function removeRunFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Somebody else's, or still written to.
  }
}

/** Whether the folder is one of a process that has ended. Those of another space of process ids, as of a container, cannot be told. */
export function isAbandoned(name: string): boolean {
  const [, pid, startedAt, space] = name.startsWith(prefix) ? (/^(\d+)-(\d+)-(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
  return pid !== undefined && space === spaceOfIds() && startOf(Number(pid)) !== startedAt;
}

/** What processes left that were killed: their browsers ended with them, their folders did not. */
function sweepRunFolders(): void {
  for (const name of readdirSync(tmpdir())) if (isAbandoned(name)) removeRunFolder(join(tmpdir(), name));
}

/** When a process started: an id is soon given to another one. Undefined for one that has ended, also where nobody has taken note of it yet (proc(5)). */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in the second field may hold blanks and brackets, so fields are counted from behind its end.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZXx]/.test(fields[0] ?? "") ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function spaceOfIds(): string {
  return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
}
