#!/usr/bin/env node
// Installs what is missing, and nothing else. Plain JavaScript for Node 20, with no dependencies: it runs before there are any.
//   node scripts/setup.mjs         what running needs
//   node scripts/setup.mjs --test  what developing and testing need, too
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const withDevelopment = process.argv.includes("--test");

/** Which install scripts have run, for which content of their packages. */
const scriptsFile = "node_modules/.install-scripts.json";

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
joinSources();
installPrograms(programs);
// Apart from the others, which a failure of this one must not keep away: some systems have no such package.
if (withDevelopment) installPrograms(testPrograms);

function installPackages() {
  const missing = findMissingPackages();
  if (missing.length > 0) {
    const what = withDevelopment ? "what running and testing need" : "what running needs";
    console.error(`setup: installing ${what} by package-lock.json (${describe(missing)}) ...`);
    installByLock();
    rememberScripts({});
  }
  runInstallScripts();
}

/** Scripts of packages do not run here: those that are listed run afterwards. */
function installByLock() {
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", withDevelopment ? "--include=dev" : "--omit=dev"];
  const exact = npm(["ci", ...options], "pipe");
  if (exact.status === 0) return;
  console.error(
    `setup: \`npm ci\` cannot follow package-lock.json with this registry: ${reasonOf(exact)}. Installing with \`npm install\`: packages of the lock file at their locked content, others as the registry has them today.`,
  );
  const args = ["install", "--no-save", ...options];
  if (npm(args).status !== 0) fail(`\`npm ${args.join(" ")}\` failed.`);
  const different = findMissingPackages();
  if (different.length > 0) console.error(`setup: not as package-lock.json has it: ${describe(different)}.`);
}

/** The first of npm's words that names something, and how many there are of its kind. */
function reasonOf({ stderr, error }) {
  const lines = String(stderr ?? error?.message ?? "").split("\n");
  const said = lines
    .map((line) => line.replace(/^npm (error|ERR!) ?/, "").trim())
    .filter((line) => line !== "" && !/^(code|errno) /.test(line));
  const named = said.filter((line) => /^(Missing|Invalid):/.test(line));
  const reason = (named[0] ?? said[0] ?? "it gave no reason").replace(/\.$/, "");
  return named.length > 1 ? `${reason}, and ${named.length - 1} more` : reason;
}

/**
 * Runs the install scripts of the packages that package.json lists, and no others. What has run is written down beside the packages; where
 * nothing is, npm has run them itself, or a program that a script makes is missing.
 */
function runInstallScripts() {
  const { allowScripts = {} } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const done = readJson(scriptsFile);
  const listed = Object.entries(readLock("node_modules/.package-lock.json") ?? {})
    .map(([path, entry]) => ({ path, name: path.replace(/^.*node_modules\//, ""), entry, of: entry.integrity ?? entry.version }))
    .filter(({ name, entry }) => entry.hasInstallScript && Object.hasOwn(allowScripts, name) && allowScripts[name] === true);
  const waiting = listed.filter(({ path, entry, of }) => (done ? done[path] !== of : isWithoutProgram(path, entry)));
  if (waiting.length > 0) {
    const names = [...new Set(waiting.map(({ name }) => name))];
    console.error(`setup: running the install scripts of ${names.join(", ")}, which package.json lists ...`);
    const args = ["rebuild", ...names, "--ignore-scripts=false", "--no-audit", "--no-fund", "--loglevel=error"];
    if (npm(args).status !== 0) fail(`\`npm ${args.join(" ")}\` failed.`);
  }
  if (!done || waiting.length > 0) rememberScripts(Object.fromEntries(listed.map(({ path, of }) => [path, of])));
}

/** Commands then load a few files in place of a thousand; without them they run from the sources as they are. */
function joinSources() {
  const node = join(root, "node_modules", ".bin", "node");
  const script = join(root, "scripts", "bundle.mjs");
  if (!existsSync(script)) return;
  const { status } = run(existsSync(node) ? node : process.execPath, [script]);
  if (status !== 0)
    console.error("setup: the sources could not be joined for faster commands (above); commands run from them as they are.");
}

function isWithoutProgram(path, { bin = {} }) {
  return Object.values(bin).some((file) => !existsSync(join(root, path, file)));
}

function rememberScripts(done) {
  writeFileSync(join(root, scriptsFile), JSON.stringify(done));
}

function npm(args, errors = 2) {
  const { npm_execpath: script } = process.env;
  // Where the pinned Node runs this, it was just removed with all else that `npm ci` installs anew.
  const node = existsSync(process.execPath) ? process.execPath : "node";
  return script ? run(node, [script, ...args], {}, errors) : run("npm", args, {}, errors);
}

function fail(words) {
  console.error(`setup: ${words} Its words are above; run it by hand in ${root} to try again.`);
  process.exit(1);
}

/**
 * Compares the lock file with npm's own record of what it installed, by content: file times say nothing after a checkout.
 * A package that is optional and absent is one that npm left out for this platform. Only some registries have the lock file say
 * where a package comes from, and one that was absent when the file was written has its version alone.
 */
function findMissingPackages() {
  const wanted = readLock("package-lock.json");
  const installed = readLock("node_modules/.package-lock.json");
  if (!installed) return ["everything"];
  return Object.entries(wanted).flatMap(([path, entry]) => {
    if (path === "" || !path.includes("node_modules/") || (entry.dev && !withDevelopment)) return [];
    const there = installed[path];
    if (!there) return entry.optional ? [] : [path];
    const same = ["version", "integrity", "resolved"].every((key) => entry[key] === undefined || there[key] === entry[key]);
    return same && existsSync(join(root, path)) ? [] : [path];
  });
}

function readLock(path) {
  return readJson(path)?.packages;
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), "utf8"));
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
function run(program, args, env = {}, errors = 2) {
  return spawnSync(program, args, { cwd: root, stdio: ["ignore", 2, errors], env: { ...process.env, ...env }, timeout: 300_000 });
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
