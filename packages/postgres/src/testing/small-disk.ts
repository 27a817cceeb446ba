import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statfsSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A file system of its own that is quickly full. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all its space but so many bytes. */
  fill(leave?: number): void;
  /** Gives that space back. */
  free(): void;
  remove(): void;
}

const prefix = "toolwright-disk-";

/** Why there can be no small disk here, or undefined: a disk of one's own takes root on Linux. */
export const whyNoSmallDisk: string | undefined = findOut();

function findOut(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a file system of its own can only be mounted by root on Linux";
  try {
    mountSmallDisk(1).remove();
    return undefined;
  } catch (error) {
    return `a file system of its own cannot be mounted here: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** A disk in memory, which goes with `remove`; of those that a killed process left, the next one frees this machine. */
export function mountSmallDisk(megabytes: number): SmallDisk {
  sweepAbandoned();
  const path = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "toolwright-test", path], { encoding: "utf8" });
  if (mounted.status !== 0) {
    rmSync(path, { recursive: true });
    throw new Error(mounted.stderr || String(mounted.error));
  }
  const filler = join(path, "filler");
  return {
    path,
    fill: (leave = 0) => fillUp(filler, leave),
    free: () => rmSync(filler, { force: true }),
    remove: () => unmount(path),
  };
}

function fillUp(filler: string, leave: number): void {
  const block = Buffer.alloc(64 * 1024);
  const file = openSync(filler, "a");
  try {
    for (;;) {
      const { bavail, bsize } = statfsSync(filler);
      const room = bavail * bsize - leave;
      if (room <= 0) return;
      writeSync(file, block, 0, Math.min(block.length, room));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  } finally {
    closeSync(file);
  }
}

/** Lazily: what is still open on it is let go of by the kernel later. */
function unmount(path: string): void {
  spawnSync("umount", ["-l", path]);
  rmSync(path, { recursive: true, force: true });
}

function sweepAbandoned(): void {
  const mounts = readFileSync("/proc/mounts", "utf8");
  for (const name of readdirSync(tmpdir())) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || readdirSync("/proc").includes(owner)) continue;
    const path = join(tmpdir(), name);
    if (mounts.includes(` ${path} `)) unmount(path);
    else rmSync(path, { recursive: true, force: true });
  }
}
