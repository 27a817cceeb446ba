import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ConsoleFiles, type ConsoleState, consoleFolder } from "@toolwright/server/http";
import type { Io } from "../../io.ts";
import { wantsConsole } from "./wants-console.ts";

/** In a checkout; a published package has the console built. */
const buildScript = fileURLToPath(new URL("../../../../../web/build.ts", import.meta.url));
const mostWords = 2_000;

export interface OpenedConsole {
  readonly state: () => ConsoleState;
  /** Begins to build what changed, where there are sources. */
  start(): void;
  stop(): void;
}

interface ConsoleSources {
  /** What builds the pages; there is none in a published package. */
  readonly script: string;
  /** What it builds them into. */
  readonly folder: string;
}

/** The console, where it is wanted. */
export function openConsole(
  io: Pick<Io, "env" | "err" | "live">,
  { script, folder }: ConsoleSources = { script: buildScript, folder: consoleFolder },
): OpenedConsole {
  const isWanted = wantsConsole(io);
  const { live } = io;
  if (live) return { state: () => ({ state: "live", page: live.page }), start() {}, stop() {} };
  const isBuilt = isWanted && existsSync(script);
  let state: ConsoleState = isWanted ? stateOf(ConsoleFiles.open(folder)) : { state: "off" };
  if (state.state === "off" && isBuilt) state = { state: "building" };
  const { abort, signal } = abortable();
  return {
    state: () => state,
    start() {
      if (!isBuilt) return;
      void build(script, io, signal).then((problem) => {
        if (signal.aborted) return;
        const built = stateOf(ConsoleFiles.open(folder));
        // What was built before goes on being served.
        if (problem === undefined || built.state === "ready") state = built;
        else state = { state: "failed", words: problem };
        if (problem !== undefined) io.err(`The console could not be built, and everything else works. ${problem}\n`);
      });
    },
    stop: abort,
  };
}

const stateOf = (files: ConsoleFiles | undefined): ConsoleState => (files ? { state: "ready", files } : { state: "off" });

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}

/** Resolves with why it failed. What the script says of its steps is for who started the server. */
function build(script: string, { env, err }: Pick<Io, "env" | "err">, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    let said = "";
    const child = spawn(process.execPath, [script], { stdio: ["ignore", "ignore", "pipe"], env: { ...env }, signal });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-mostWords);
      if (text.startsWith("console: ")) err(text);
    });
    child.on("error", (error) => resolve(error.message));
    child.on("close", (code) => resolve(code === 0 ? undefined : said.trim() || `The build ended with ${code}.`));
  });
}
