import { spawn } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createEngine, defaultPolicy, type Principal } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { createBwrapDriver, execCapability } from "@toolwright/sandbox";
import { runtimeTools } from "@toolwright/tools";
import { median, type Row } from "./measure.ts";

const megabytes = 1024;
const rounds = 3;
const line = `${"A line of what a program prints, as programs do: 0123456789 abcdef".padEnd(79)}\n`;
const principal: Principal = { tenant: "default", actor: { kind: "user", id: "bench" }, permissions: ["commands.tenant.run"], door: "cli" };
const document = { ...defaultPolicy, autonomy: "full" as const };

/** `cat` of 1 GB as a call: read, cleaned, searched for secrets, cut, and its beginning kept as an artifact. The peer keeps it in a file and looks at nothing. */
export async function measure(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), "toolwright-bench-"));
  const workspace = await mkdtemp(join(tmpdir(), "toolwright-bench-"));
  await writeFile(join(workspace, "large.txt"), Buffer.alloc(megabytes * 2 ** 20, line));
  const store = await openStore({ folder: join(folder, "store"), cache: join(folder, "cache"), process: "bench", holder: "bench" });
  const driver = createBwrapDriver({});
  const sandbox = await driver.probe();
  const { artifacts, events } = store;
  const capabilities = [execCapability({ workspaceOf: () => workspace, drivers: [driver] })];
  const policy = [{ tier: "platform" as const, document }];
  const engine = createEngine({ tools: runtimeTools, policy, capabilities, artifacts, events, machine: () => ({ sandbox }) });
  const scope = engine.scope(principal, { session: "bench" });
  const call = async () => {
    const result = await scope.invokeNamed("exec", { command: "cat large.txt" });
    if (result.status !== "done") throw new Error(`The benchmark's own call ended: ${JSON.stringify(result)}`);
  };
  const ours: number[] = [];
  const peer: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      ours.push(await rateOf(call));
      peer.push(await rateOf(() => catToFile(workspace, join(folder, "output"))));
    }
  } finally {
    await engine.close();
    await driver.close();
    await store.close();
    for (const path of [folder, workspace]) await rm(path, { recursive: true, force: true });
  }
  const rate = median(ours);
  return [
    {
      name: "exec cat of 1 GB, whole call",
      ours: rate,
      peer: median(peer),
      peerName: "spawn to file",
      ratio: rate / median(peer),
      unit: "MB/s",
      target: "at least 100 MB/s",
      holds: rate >= 100,
    },
  ];
}

async function rateOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return megabytes / ((performance.now() - startedAt) / 1000);
}

async function catToFile(workspace: string, path: string): Promise<void> {
  const child = spawn("cat", ["large.txt"], { cwd: workspace, stdio: ["ignore", "pipe", "ignore"] });
  await pipeline(child.stdout, createWriteStream(path));
}
