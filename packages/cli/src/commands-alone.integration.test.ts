import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { everyCommand, untilStopped } from "../test/every-command.ts";
import { exitCodes } from "./exit-code.ts";

const program = fileURLToPath(new URL("../bin/toolwright.js", import.meta.url));
/** Processes at a time: most of what one does is to begin. */
const lanes = 3;
/** Milliseconds that a command may take on a busy machine: twenty times what the longest takes on an idle one. */
const mostMs = 60_000;

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-alone-"));
  await writeFile(join(root, "words.txt"), "Not meant for a command.\n");
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

/** A process whose stdin is a file, without a terminal and without a server. */
async function begin(argv: readonly string[]): Promise<ChildProcess> {
  const env = { PATH: process.env.PATH, HOME: root, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, TOOLWRIGHT_CONSOLE: "off" };
  const stdin = await open(join(root, "words.txt"));
  const child = spawn(process.execPath, [program, ...argv], { cwd: root, env, stdio: [stdin.fd, "pipe", "pipe"] });
  await stdin.close();
  return child;
}

/** How a process ends by itself, or within three seconds of a signal when it runs until one; what is wrong with that. */
async function problemOf(name: string, argv: readonly string[]): Promise<string | undefined> {
  const child = await begin(argv);
  let said = "";
  let stoppedAt: number | undefined;
  const stop = () => {
    stoppedAt ??= performance.now();
    child.kill("SIGTERM");
  };
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk;
      if (untilStopped.has(name) && stoppedAt === undefined) stop();
    });
  const late = setTimeout(() => child.kill("SIGKILL"), mostMs);
  const [code] = (await once(child, "close")) as [number | null];
  clearTimeout(late);
  if (code === null) return `${name} did not end: ${said}`;
  const isKnown = Object.values(exitCodes).some((known) => known === code && known !== exitCodes.defect);
  if (!isKnown) return `${name} ended with ${code}: ${said}`;
  if (stoppedAt === undefined) return undefined;
  const took = performance.now() - stoppedAt;
  return code === exitCodes.done && took < 3_000 ? undefined : `${name} ended with ${code}, ${took} ms after a signal: ${said}`;
}

test("every command ends by itself or at a signal, as a process with a file at stdin and without a server", async () => {
  const left = [...everyCommand];
  // It opens the store by itself and shares it with the others, which takes them half the time.
  const holder = await begin(["log", "follow"]);
  await Promise.race([once(holder.stderr ?? holder, "data"), once(holder, "exit")]);
  const problems: string[] = [];
  const runLane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const problem = await problemOf(next.name, next.argv);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  holder.kill("SIGTERM");
  await once(holder, "close");
  expect(problems).toEqual([]);
  expect(everyCommand.length).toBeGreaterThan(140);
}, 300_000);
