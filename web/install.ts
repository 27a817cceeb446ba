import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL(".", import.meta.url));

/** Runs the work while no other process installs or builds in the folder: the second waits for the first. */
export async function alone<Result>(work: () => Result | Promise<Result>, folder = web): Promise<Result> {
  const lock = join(folder, ".building");
  await takeLock(lock);
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  for (;;)
    try {
      return writeFileSync(lock, String(process.pid), { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      if (isLeft(lock)) rmSync(lock, { force: true });
      else await wait(200);
    }
}

/** Its process is gone, or it never wrote who it is. */
function isLeft(lock: string): boolean {
  try {
    const owner = Number(readFileSync(lock, "utf8"));
    if (owner === 0) return Date.now() - statSync(lock).mtimeMs > 10_000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

/**
 * Installs what the console is built with, unless all of it is there from the lock file of the last time. *Contract:* run `alone`: npm empties the folder
 * that another one fills.
 */
export function installPackages(folder = web): void {
  const record = join(folder, "node_modules", ".installed-from");
  const wanted = createHash("sha256")
    .update(readFileSync(join(folder, "package-lock.json")))
    .digest("hex");
  if (existsSync(record) && readFileSync(record, "utf8") === wanted && isWhole(folder)) return;
  // An install that is cut off must not leave the record of the one before.
  rmSync(record, { force: true });
  say("installing what the console is built with (web/package-lock.json) ...");
  const options = ["--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // A registry may lack what the lock file names: then by package.json, whose versions are exact.
  if (!npm(folder, ["ci", ...options], true) && !npm(folder, ["install", "--no-save", ...options]))
    throw new Error("The packages of the console could not be installed; npm says why above. Run `npm ci` in the folder web to try again.");
  writeFileSync(record, wanted);
}

interface InstalledLock {
  readonly packages?: Readonly<Record<string, { readonly optional?: boolean; readonly link?: boolean }>>;
}

/** Whether each package that npm says to have installed is there; optional ones are for other systems. */
function isWhole(folder: string): boolean {
  try {
    const { packages = {} } = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8")) as InstalledLock;
    return Object.entries(packages).every(([path, { optional = false }]) => optional || existsSync(join(folder, path, "package.json")));
  } catch {
    return false;
  }
}

function npm(folder: string, args: readonly string[], quiet = false): boolean {
  const script = process.env.npm_execpath;
  const options = { cwd: folder, stdio: ["ignore", 2, quiet ? "ignore" : 2] as ("ignore" | number)[], timeout: 300_000 };
  const { status } = script ? spawnSync(process.execPath, [script, ...args], options) : spawnSync("npm", args, options);
  return status === 0;
}

export function say(words: string): void {
  process.stderr.write(`console: ${words}\n`);
}
