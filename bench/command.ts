import { spawn, spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { median, medianRatio, type Row } from "./measure.ts";

/** Commands from nothing to their end, with a running server and without, beside a Node that does nothing. */
const toolwright = fileURLToPath(new URL("../packages/cli/bin/toolwright.js", import.meta.url));
const bundle = fileURLToPath(new URL("../scripts/bundle.mjs", import.meta.url));
const rounds = 9;
const commands: readonly (readonly string[])[] = [["--version"], ["list"], ["call", "file_list", "--path", "."], ["approvals", "list"]];

export async function measure(): Promise<readonly Row[]> {
  spawnSync(process.execPath, [bundle], { stdio: "inherit" });
  const root = await mkdtemp(join(tmpdir(), "toolwright-bench-command-"));
  mkdirSync(join(root, "workspace"));
  try {
    const without = time(root, "without a server", 700);
    const stop = await startServer(root);
    const beside = time(root, "with a server", 300);
    await stop();
    return [...without, ...beside];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function time(root: string, where: string, mostMs: number): readonly Row[] {
  return commands.map((words) => {
    // The first time makes the store, and what Node keeps compiled.
    runFor(root, [toolwright, ...words]);
    const times = { ours: [] as number[], peer: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.ours.push(runFor(root, [toolwright, ...words]));
      times.peer.push(runFor(root, ["-e", "0"]));
    }
    const typical = median(times.ours);
    return {
      ...{ name: `${words.slice(0, 2).join(" ")}, ${where}`, unit: "ms", target: `at most ${mostMs} ms`, peerName: "node -e 0" },
      ...{ ours: typical, peer: median(times.peer), ratio: medianRatio(times.ours, times.peer), holds: typical <= mostMs },
    };
  });
}

const environmentOf = (root: string) => ({ PATH: process.env.PATH, HOME: root, TOOLWRIGHT_STATE: join(root, "state") });

function runFor(root: string, argv: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, env: environmentOf(root), encoding: "utf8" });
  if (status !== 0) throw new Error(`${argv.join(" ")} ended with ${status}: ${stderr}`);
  return performance.now() - startedAt;
}

async function startServer(root: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [toolwright, "serve", "--port", "0"], {
    cwd: root,
    env: environmentOf(root),
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for await (const line of createInterface({ input: child.stdout })) if (/MCP +http/.test(line)) break;
  child.stdout.resume();
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
