import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const npm = process.platform === "win32" ? "npm.cmd" : "npm";

/** Installs what a folder's lock file names, unless it is there already. Users of the product never need it. */
export async function installOnDemand(folder: string): Promise<void> {
  try {
    await run(npm, ["ls", "--depth", "0"], { cwd: folder });
  } catch {
    await run(npm, ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
  }
}
