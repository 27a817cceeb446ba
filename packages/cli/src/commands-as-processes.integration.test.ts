import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
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

/** How a shell gives a process its stdin, which is no terminal in any of them. */
const inputs = { file: '"$0" "$@" <words.txt', pipe: 'echo "Not meant for a command." | "$0" "$@"', nothing: '"$0" "$@" <&-' } as const;
type Input = keyof typeof inputs;

/** What holds the store meanwhile; by itself a command opens it, which takes it twice the time. */
const holders = { "beside a server": ["serve", "--port", "0"], "without a server": ["log", "follow"] } as const;
type Place = keyof typeof holders;

interface Way {
  readonly place: Place;
  readonly input: Input;
}
const ways: readonly Way[] = (Object.keys(holders) as Place[]).flatMap((place) =>
  (Object.keys(inputs) as Input[]).map((input) => ({ place, input })),
);

/** They take turns; with TOOLWRIGHT_EVERY_WAY=1 every command goes every way, which takes seven minutes. */
const runs = everyCommand.flatMap((command, at) =>
  ways.filter((_, index) => process.env.TOOLWRIGHT_EVERY_WAY === "1" || index === at % ways.length).map((way) => ({ ...command, way })),
);

let root: string;
const holding: ChildProcess[] = [];
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-ends-"));
  const begun = (Object.keys(holders) as Place[]).map(async (place) => {
    await mkdir(join(root, place));
    await writeFile(join(root, place, "words.txt"), "Not meant for a command.\n");
    const holder = begin(holders[place], { place, input: "file" });
    holding.push(holder);
    await Promise.race([once(holder.stderr ?? holder, "data"), once(holder, "exit")]);
  });
  await Promise.all(begun);
}, mostMs);
afterAll(async () => {
  for (const holder of holding) holder.kill("SIGTERM");
  await Promise.all(holding.map((holder) => holder.exitCode ?? once(holder, "close")));
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

function begin(argv: readonly string[], { place, input }: Way): ChildProcess {
  const home = join(root, place);
  const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE, TOOLWRIGHT_CONSOLE: "off" };
  // The shell becomes the command, where that is what a signal goes to.
  const script = input === "pipe" ? inputs.pipe : `exec ${inputs[input]}`;
  return spawn("sh", ["-c", script, process.execPath, program, ...argv], { cwd: home, env, stdio: ["ignore", "pipe", "pipe"] });
}

/** How a process ends by itself, or within three seconds of a signal when it runs until one; what is wrong with that. */
async function problemOf({ name, argv, way }: (typeof runs)[number]): Promise<string | undefined> {
  // A signal to the shell of a pipe does not reach the command.
  const asked = untilStopped.has(name) && way.input === "pipe" ? { ...way, input: "file" as const } : way;
  const title = `${name}, ${way.place}, with stdin ${way.input}`;
  const child = begin(argv, asked);
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
  if (code === null) return `${title} did not end: ${said}`;
  const isKnown = Object.values(exitCodes).some((known) => known === code && known !== exitCodes.defect);
  if (!isKnown) return `${title} ended with ${code}: ${said}`;
  if (stoppedAt === undefined) return undefined;
  const took = performance.now() - stoppedAt;
  const expected = name === "serve" && said.includes("is in use by toolwright serve") ? exitCodes.unavailable : exitCodes.done;
  return code === expected && took < 3_000 ? undefined : `${title} ended with ${code}, ${took} ms after a signal: ${said}`;
}

test("every command ends by itself or at a signal, with any stdin, beside a server and without", async () => {
  const left = [...runs];
  const problems: string[] = [];
  const runLane = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const problem = await problemOf(next);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runLane));
  expect(problems).toEqual([]);
  expect(everyCommand.length).toBeGreaterThan(140);
}, 1_800_000);
