import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { median, medianRatio, type Row } from "./measure.ts";

/** From nothing to the first answer of a server with the embedded store, beside a Node that does nothing and one that opens the same database. */
const here = fileURLToPath(new URL(".", import.meta.url));
const toolwright = fileURLToPath(new URL("../packages/cli/bin/toolwright.js", import.meta.url));
const bundle = fileURLToPath(new URL("../scripts/bundle.mjs", import.meta.url));
const rounds = 7;
const settleMs = 5_000;
const mostMs = 2_000;
const mostMb = 350;

interface Started {
  /** Milliseconds to the first answer. */
  readonly ms: number;
  /** Resident megabytes when it has come to rest. */
  readonly mb: number;
}

export async function measure(): Promise<readonly Row[]> {
  spawnSync(process.execPath, [bundle], { stdio: "inherit" });
  const root = await mkdtemp(join(tmpdir(), "toolwright-bench-start-"));
  try {
    const data = join(root, "state/store/data");
    // The first start makes the store.
    await startServer(root, 0);
    const times = { server: [] as number[], node: [] as number[], pglite: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      times.server.push((await startServer(root, 0)).ms);
      times.node.push((await startNode("console.log('ready')", 0)).ms);
      times.pglite.push((await startNode(bareDatabase(data), 0)).ms);
    }
    const server = await startServer(root, settleMs);
    const pglite = await startNode(bareDatabase(data), settleMs);
    const first = { name: "start to first answer", unit: "ms", target: `at most ${mostMs} ms` };
    return [
      timed(first, times.server, { peerName: "node -e", times: times.node }),
      timed(first, times.server, { peerName: "bare PGlite", times: times.pglite }),
      {
        ...{ name: "memory after start", unit: "MB", target: `at most ${mostMb} MB`, peerName: "bare PGlite" },
        ...{ ours: server.mb, peer: pglite.mb, ratio: server.mb / pglite.mb, holds: server.mb <= mostMb },
      },
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function timed(
  about: Pick<Row, "name" | "unit" | "target">,
  ours: readonly number[],
  { peerName, times }: { readonly peerName: string; readonly times: readonly number[] },
): Row {
  const typical = median(ours);
  return { ...about, peerName, ours: typical, peer: median(times), ratio: medianRatio(ours, times), holds: typical <= mostMs };
}

function startServer(root: string, restMs: number): Promise<Started> {
  const env = { PATH: process.env.PATH, HOME: root, TOOLWRIGHT_STATE: join(root, "state") };
  const begin = () =>
    spawn(process.execPath, [toolwright, "serve", "--port", "0"], { cwd: root, env, stdio: ["ignore", "pipe", "ignore"] });
  return start(begin, restMs, async (line) => {
    const origin = /MCP +(http\S+)\/mcp/.exec(line)?.[1];
    if (origin === undefined) return false;
    await (await fetch(`${origin}/health`)).text();
    return true;
  });
}

function startNode(program: string, restMs: number): Promise<Started> {
  const begin = () =>
    spawn(process.execPath, ["--input-type=module", "-e", `${program}; setInterval(() => {}, 1000);`], {
      cwd: here,
      stdio: ["ignore", "pipe", "inherit"],
    });
  return start(begin, restMs, async (line) => line === "ready");
}

const bareDatabase = (dataDir: string) =>
  `const { PGlite } = await import("@electric-sql/pglite");
  const database = await PGlite.create({ dataDir: ${JSON.stringify(dataDir)} });
  await database.query("select count(*) from toolwright.tenants");
  process.on("SIGTERM", async () => { await database.close(); process.exit(0); });
  console.log("ready")`;

async function start(begin: () => ChildProcess, restMs: number, isReady: (line: string) => Promise<boolean>): Promise<Started> {
  const startedAt = performance.now();
  const child = begin();
  const ended = once(child, "exit");
  await waitUntilReady(child, isReady);
  const ms = performance.now() - startedAt;
  await pause(restMs);
  const mb = Number(execFileSync("ps", ["-o", "rss=", "-p", String(child.pid)], { encoding: "utf8" })) / 1024;
  child.kill("SIGTERM");
  await ended;
  return { ms, mb };
}

async function waitUntilReady({ stdout }: ChildProcess, isReady: (line: string) => Promise<boolean>): Promise<void> {
  if (!stdout) throw new Error("The process has no output.");
  for await (const line of createInterface({ input: stdout })) {
    if (!(await isReady(line))) continue;
    stdout.resume();
    return;
  }
  throw new Error("The process ended before it answered.");
}
