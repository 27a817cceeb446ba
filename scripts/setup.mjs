#!/usr/bin/env node
// Installs what is missing, and nothing else. Plain JavaScript for Node 20, with no dependencies: it runs before there are any.
//   node scripts/setup.mjs         what running needs
//   node scripts/setup.mjs --test  what developing and testing need, too
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const withDevelopment = process.argv.includes("--test");

/** Programs of the system, the Debian package that brings each, and what is lost without it. */
const programs = [
  { names: ["bwrap"], package: "bubblewrap", without: "no sandbox: commands are refused, and the sandbox tests are skipped" },
  { names: ["rg"], package: "ripgrep", without: "no fast search: the text search of file_search is refused, and its tests are skipped" },
];
const testPrograms = [
  {
    names: ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"],
    package: "chromium",
    without: "the browser tests are skipped",
  },
];

installPackages();
installPrograms(programs);
// Apart from the others, which a failure of this one must not keep away: some systems have no such package.
if (withDevelopment) installPrograms(testPrograms);

function installPackages() {
  const missing = findMissingPackages();
  if (missing.length === 0) return;
  const what = withDevelopment ? "what running and testing need" : "what running needs";
  console.error(`setup: installing ${what} (${describe(missing)}) ...`);
  // Not `npm ci`: it refuses a lock file that does not know the optional packages of every platform, and a registry may lack some.
  const args = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", withDevelopment ? "--include=dev" : "--omit=dev"];
  const npm = process.env.npm_execpath;
  const { status } = npm ? run(process.execPath, [npm, ...args]) : run("npm", args);
  if (status === 0) return;
  console.error(`setup: \`npm ${args.join(" ")}\` failed. Its words are above; run it by hand in ${root} to try again.`);
  process.exit(1);
}

/**
 * Compares the lock file with npm's own record of what it installed, by content: file times say nothing after a checkout.
 * A package that is optional and absent is one that npm left out for this platform.
 */
function findMissingPackages() {
  const wanted = readLock("package-lock.json");
  const installed = readLock("node_modules/.package-lock.json");
  if (!installed) return ["everything"];
  return Object.entries(wanted).flatMap(([path, entry]) => {
    if (path === "" || !path.includes("node_modules/") || (entry.dev && !withDevelopment)) return [];
    const there = installed[path];
    if (!there) return entry.optional ? [] : [path];
    const same = there.version === entry.version && there.integrity === entry.integrity && there.resolved === entry.resolved;
    return same && existsSync(join(root, path)) ? [] : [path];
  });
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8")).packages;
  } catch {
    return undefined;
  }
}

function describe(missing) {
  const names = missing.map((path) => path.replace(/^.*node_modules\//, ""));
  return names.length > 3 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
}

function installPrograms(wanted) {
  const missing = wanted.filter(({ names }) => !names.some(isOnPath));
  if (missing.length === 0) return;
  const packages = missing.map((program) => program.package);
  const command = `apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  for (const { names, without } of missing) console.error(`setup: ${names[0]} is missing: ${without}.`);
  if (!isOnPath("apt-get")) return console.error(`setup: install ${packages.join(" and ")} with this system's package manager.`);
  if (process.getuid?.() !== 0) return console.error(`setup: to have it, run: sudo ${command}`);
  console.error(`setup: installing ${packages.join(" and ")} from this system's packages ...`);
  if (apt("install", packages) || (apt("update", []) && apt("install", packages))) return;
  console.error(`setup: that failed, and everything else goes on without. To try again: apt-get update && ${command}`);
}

function apt(action, packages) {
  const options = ["-qq", "-y", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10", "-o", "DPkg::Lock::Timeout=30"];
  const args = action === "install" ? [...options, action, "--no-install-recommends", ...packages] : [...options, action];
  return run("apt-get", args, { DEBIAN_FRONTEND: "noninteractive" }).status === 0;
}

/** Output goes to stderr: stdout belongs to the command that follows. */
function run(program, args, env = {}) {
  return spawnSync(program, args, { cwd: root, stdio: ["ignore", 2, 2], env: { ...process.env, ...env }, timeout: 300_000 });
}

function isOnPath(name) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}
