import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
}

/** Installs what a folder's lock file names, unless it is there already. Users of the product never need it. */
export async function installOnDemand(folder: string): Promise<void> {
  if (!isInstalled(folder)) await run(npm, ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
}

/** Compares the lock file with npm's own record of what it installed: to ask npm takes longer than most tests. */
function isInstalled(folder: string): boolean {
  const wanted = readLock(join(folder, "package-lock.json"));
  const installed = readLock(join(folder, "node_modules", ".package-lock.json"));
  return Object.entries(wanted ?? {}).every(([path, entry]) => {
    if (!path.includes("node_modules/")) return true;
    const there = installed?.[path];
    // Npm left it out for this platform.
    if (there === undefined) return installed !== undefined && entry.optional === true;
    const isSame = (["version", "resolved", "integrity"] as const).every((key) => entry[key] === undefined || there[key] === entry[key]);
    return isSame && existsSync(join(folder, path));
  });
}

function readLock(path: string): Readonly<Record<string, LockedPackage>> | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")).packages;
  } catch {
    return undefined;
  }
}
