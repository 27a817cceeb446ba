#!/usr/bin/env node
// Plain JavaScript, so that any Node can start it. An old Node hands over to the pinned one; the rest runs in this process.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, statSync } from "node:fs";
import module from "node:module";
import { constants, homedir } from "node:os";
import { join } from "node:path";
import { argv, env, execPath, exit, getuid, versions } from "node:process";
import { fileURLToPath } from "node:url";

const oldest = [22, 18];
const source = new URL("../src/main.ts", import.meta.url);
const built = new URL("../dist/main.js", import.meta.url);

if (isNewEnough(versions.node)) await run();
else handOver();

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > oldest[0] || (major === oldest[0] && minor >= oldest[1]);
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

/** From a clone the sources run as they are; a published package has `dist` and no need for the condition. */
async function run() {
  const fromSource = !existsSync(built) && existsSync(source);
  if (fromSource) {
    const withSource = (context) => ({ ...context, conditions: ["@toolwright/source", ...(context.conditions ?? [])] });
    module.registerHooks({ resolve: (specifier, context, next) => next(specifier, withSource(context)) });
  }
  keepCompiled();
  const { start } = await import((fromSource ? source : built).href);
  await start(argv.slice(2));
}

function handOver() {
  const pinned = findPinnedNode();
  if (!pinned) {
    console.error(`toolwright needs Node ${oldest.join(".")} or newer; this is ${versions.node}, and there is no other in node_modules.`);
    console.error("Run `npm ci` in the folder of toolwright, or install a newer Node.");
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
