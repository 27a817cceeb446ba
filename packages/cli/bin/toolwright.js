#!/usr/bin/env node
// Plain JavaScript, so that any Node can start it. An old Node hands over to the pinned one; the rest runs in this process.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import module from "node:module";
import { constants, homedir } from "node:os";
import { join } from "node:path";
import { argv, env, execArgv, execPath, exit, getuid, stdin, stdout, versions } from "node:process";
import { fileURLToPath } from "node:url";
import { findBundle, makeBundle } from "./bundle.js";

const oldest = [22, 18];
const source = new URL("../src/main.ts", import.meta.url);
const built = new URL("../dist/main.js", import.meta.url);
/** Node reads no TypeScript below `node_modules`, and a clone runs its sources even after a build. */
const installed = /[\\/]node_modules[\\/]/.test(fileURLToPath(import.meta.url));
/** Milliseconds that a client has to open its connection before the program behind it loads, which answers nothing meanwhile. */
const openingMs = 200;
/** As many bytes as a command reads of stdin (src/stdio/read-stdin.ts), which refuses what is larger. */
const mostEventBytes = 16 * 1024 * 1024;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = new URL("../../", import.meta.url).href;
/** What packages of ours import, by package and name. */
const known = new Map();
const bundles = new URL("../../../node_modules/.toolwright/", import.meta.url).href;

/** Who looks where an error came from, or follows the modules that are loaded, wants to see the sources themselves. */
const looksInside = /(?:^|\s)(?:--import|--require|-r|--(?:experimental-)?loader)(?:[\s=]|$)/.test(
  [...execArgv, env.NODE_OPTIONS ?? ""].join(" "),
);

ignoreExperimental("SQLite");
if (isNewEnough(versions.node)) await run();
else handOver();

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
}

/** What Node 22 still warns of: the lock on the state folder is one of SQLite. */
function ignoreExperimental(feature) {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...details) => {
    if (details[0] === "ExperimentalWarning" && String(warning).startsWith(feature)) return;
    emitWarning.call(process, warning, ...details);
  };
}

/** By default compiled code is kept in the temporary folder, where another user could put some for this one: here in a folder of one's own. */
function keepCompiled() {
  const folder = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache"), "toolwright", "compiled");
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (getuid && statSync(folder).uid !== getuid()) return;
  } catch {
    return;
  }
  module.enableCompileCache(folder);
}

/**
 * From a clone the sources run, joined to few files where that is done and they did not change since. A published package has `dist` and no need
 * for either.
 */
async function run() {
  const args = argv.slice(2);
  const event = await readEvent(args);
  if (event !== undefined && event.length <= mostEventBytes && (await answerByServer(args, event))) return;
  const fromSource = existsSync(source) && !installed;
  const wantsBundle = fromSource && !looksInside && !args.includes("--verbose");
  const bundle = wantsBundle ? findBundle(root) : undefined;
  if (fromSource) {
    module.registerHooks({ resolve: (specifier, context, next) => toBundle(resolve(specifier, context, next), bundle, context) });
  }
  keepCompiled();
  const opened = await answerAtOnce(fromSource);
  const { start } = await import((fromSource ? source : built).href);
  if (wantsBundle && bundle === undefined) makeBundle(root);
  await start(args, { opened, stdin: event });
}

/** The event of a coding agent at stdin, where a server may answer it: with options, it is decided here. */
async function readEvent([command, agent, ...options]) {
  if (command !== "hook" || agent === undefined || agent.startsWith("-") || options.length > 0 || stdin.isTTY) return undefined;
  const chunks = [];
  let size = 0;
  for await (const chunk of stdin) {
    if (size <= mostEventBytes) chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}

async function answerByServer([, agent], event) {
  const { askServer } = await import("./ask-server.js");
  const answer = await askServer(agent, event);
  if (answer === undefined) return false;
  stdout.write(answer);
  return true;
}

/** A client at stdin hears at once that somebody is there: most begin without the tools of a server that takes longer. */
async function answerAtOnce(fromSource) {
  const [command, ...rest] = argv.slice(2);
  if (command !== "mcp" || rest.includes("--help") || rest.includes("-h") || stdin.isTTY) return undefined;
  const stdio = new URL(fromSource ? "../src/stdio/open-stdio.ts" : "../dist/stdio/open-stdio.js", import.meta.url).href;
  const [{ openStdio }, { serverFacts }] = await Promise.all([import(stdio), import("@toolwright/server/facts")]);
  const opened = openStdio(stdin, stdout, serverFacts);
  await opened.firstWithin(openingMs);
  return opened;
}

/**
 * Where Node finds what an import names. It would look for each file of ours, for its package and for links on the way, and for each package once
 * for every file that imports it, hundreds of times: the first is where it is said to be, the second where the same package of ours found it before.
 */
function resolve(specifier, context, next) {
  const { parentURL = "", conditions = [] } = context;
  const withSource = { ...context, conditions: ["@toolwright/source", ...conditions] };
  const scope = scopeOf(parentURL);
  if (scope === undefined || !conditions.includes("import")) return next(specifier, withSource);
  if (/^(?:\.\.?\/|file:).*\.(?:ts|js)$/.test(specifier)) return { url: new URL(specifier, parentURL).href, shortCircuit: true };
  const key = `${scope} ${specifier}`;
  const found = known.get(key);
  if (found !== undefined) return { ...found, shortCircuit: true };
  const resolved = next(specifier, withSource);
  if (/^[@a-z]/.test(specifier)) known.set(key, resolved);
  return resolved;
}

/** The package of ours that a file belongs to, or the bundle of them; undefined for any other file. */
function scopeOf(url) {
  if (url.startsWith(bundles)) return bundles;
  if (!url.startsWith(sources) || url.includes("/node_modules/", sources.length)) return undefined;
  return url.slice(sources.length, url.indexOf("/", sources.length));
}

/** What a tool imports of others is its own; what it has of this program must be the same that runs. */
function toBundle(resolved, bundle, { parentURL }) {
  const found = bundle?.get(resolved.url);
  if (found === undefined || !(found.isOurs || parentURL?.includes("/node_modules/"))) return resolved;
  return { ...resolved, url: found.url, format: "module" };
}

function handOver() {
  const pinned = findPinnedNode();
  if (!pinned) {
    const remedy = installed ? "Install a newer Node." : "Run `npm ci` in the folder of toolwright, or install a newer Node.";
    console.error(`toolwright needs Node ${oldest.join(".")} or newer, and this is ${versions.node}. ${remedy}`);
    exit(69);
  }
  // The channel tells the child when this process is killed without a word.
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...argv.slice(2)], { stdio: ["inherit", "inherit", "inherit", "ipc"] });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`toolwright could not start ${pinned}: ${error.message}`);
    exit(69);
  });
  child.on("exit", (code, signal) => exit(code ?? 128 + (constants.signals[signal] ?? 0)));
}

function findPinnedNode() {
  try {
    const path = module.createRequire(import.meta.url).resolve("node/bin/node");
    return path === execPath ? undefined : path;
  } catch {
    return undefined;
  }
}
