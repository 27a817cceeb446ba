import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL(".", import.meta.url));

/** Installs what the console is built with, unless the lock file is the one of the last time. */
export function installPackages(): void {
  const record = join(web, "node_modules", ".installed-from");
  const wanted = createHash("sha256")
    .update(readFileSync(join(web, "package-lock.json")))
    .digest("hex");
  if (existsSync(record) && readFileSync(record, "utf8") === wanted) return;
  say("installing what the console is built with (web/package-lock.json) ...");
  const options = ["--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  // A registry may lack what the lock file names: then by package.json, whose versions are exact.
  if (!npm(["ci", ...options], true) && !npm(["install", "--no-save", ...options]))
    throw new Error("The packages of the console could not be installed; npm says why above. Run `npm ci` in the folder web to try again.");
  writeFileSync(record, wanted);
}

function npm(args: readonly string[], quiet = false): boolean {
  const script = process.env.npm_execpath;
  const options = { cwd: web, stdio: ["ignore", 2, quiet ? "ignore" : 2] as ("ignore" | number)[], timeout: 300_000 };
  const { status } = script ? spawnSync(process.execPath, [script, ...args], options) : spawnSync("npm", args, options);
  return status === 0;
}

export function say(words: string): void {
  process.stderr.write(`console: ${words}\n`);
}
