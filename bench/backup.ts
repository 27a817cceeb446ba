import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createEngine, defaultPolicy, defineTool, type Principal } from "@toolwright/engine";
import { openStore, type Store } from "@toolwright/postgres";
import { z } from "zod";
import type { Row } from "./measure.ts";

const toolwright = fileURLToPath(new URL("../packages/cli/bin/toolwright.js", import.meta.url));
const artifactMegabytes = 32;
const artifacts = 32;
const clients = 4;
const mostSeconds = 60;
const principal: Principal = { tenant: "default", actor: { kind: "user", id: "bench" }, permissions: [], door: "cli" };
const document = { ...defaultPolicy, autonomy: "full" as const };

/** `toolwright db backup` of an embedded store with 1 GB of artifacts, beside callers that change something: how long it takes, and how long they wait. */
export async function measure(): Promise<readonly Row[]> {
  const root = await mkdtemp(join(tmpdir(), "toolwright-bench-"));
  const store = await openStore({ folder: join(root, "state", "store"), process: "bench", holder: "a benchmark" });
  try {
    await fill(store);
    const change = defineTool({
      name: "change",
      description: "Changes nothing, and says that it does.",
      input: z.object({ number: z.int() }),
      output: z.object({ number: z.int() }),
      effects: { destructive: true },
      run: ({ number }) => ({ number }),
    });
    const engine = createEngine({ tools: [change], policy: [{ tier: "platform", document }], events: store.events });
    const scope = engine.scope(principal, { session: "bench" });
    const call = async (number: number) => {
      const { status } = await scope.invoke("change", { number });
      if (status !== "done") throw new Error(`The benchmark's own call ended as ${status}.`);
    };
    await waitsWhile(call, pause(5));
    const usual = p99(await waitsWhile(call, pause(30)));
    const startedAt = performance.now();
    const waits = p99(await waitsWhile(call, backUp(root)));
    const seconds = (performance.now() - startedAt) / 1000;
    const { size } = await stat(join(root, "backup"));
    if (size < artifacts * artifactMegabytes * 2 ** 20) throw new Error(`The backup has only ${size} bytes.`);
    const backup = { name: "backup of 1 GB under load", unit: "s", target: `at most ${mostSeconds} s`, peerName: "the limit" };
    const calls = { name: "p99 of a change during a backup", unit: "ms", target: "under twice its usual", peerName: "before" };
    return [
      { ...backup, ours: seconds, peer: mostSeconds, ratio: seconds / mostSeconds, holds: seconds <= mostSeconds },
      { ...calls, ours: waits, peer: usual, ratio: waits / usual, holds: waits < 2 * usual },
    ];
  } finally {
    await store.close();
    await rm(root, { recursive: true, force: true });
  }
}

/** Bytes that do not compress, as pictures and archives are. */
async function fill(store: Store): Promise<void> {
  const megabyte = randomBytes(2 ** 20);
  for (let artifact = 0; artifact < artifacts; artifact += 1) {
    const owner = { tenant: "default", session: `session-${artifact}`, callId: `call-${artifact}` };
    const writer = await store.artifacts.create(owner, { name: "large.bin", mediaType: "application/octet-stream" });
    for (let part = 0; part < artifactMegabytes; part += 1) {
      megabyte.writeUInt32BE(artifact * artifactMegabytes + part);
      await writer.write(megabyte);
    }
    await writer.finish();
  }
}

/** Milliseconds of each call of some clients that call one after the other, until the work is done. */
async function waitsWhile(call: (number: number) => Promise<void>, work: Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = [];
  const state = { done: false };
  const client = async () => {
    while (!state.done) {
      const startedAt = performance.now();
      await call(waits.length);
      waits.push(performance.now() - startedAt);
    }
  };
  const calling = Promise.all(Array.from({ length: clients }, client));
  await work;
  state.done = true;
  await calling;
  return waits;
}

function p99(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)] ?? Number.NaN;
}

const pause = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function backUp(root: string): Promise<void> {
  const env = { PATH: process.env.PATH, HOME: root, TOOLWRIGHT_STATE: join(root, "state") };
  const child = spawn(process.execPath, [toolwright, "db", "backup", join(root, "backup")], { cwd: root, env, stdio: ["ignore", 2, 2] });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`The backup ended with ${code}.`);
}
