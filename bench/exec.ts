import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createBwrapDriver } from "@toolwright/sandbox";
import { median, type Row } from "./measure.ts";

const runs = 60;
/** Milliseconds between commands, as an agent leaves them: the pool refills meanwhile, for both sides alike. */
const pause = 60;

/** `true` through the warm bwrap pool, beside a plain `sh -c true` spawned by the same process; in turn, so that a drift of the machine hits both. */
export async function measure(): Promise<readonly Row[]> {
  const workspace = await mkdtemp(join(tmpdir(), "toolwright-bench-"));
  const driver = createBwrapDriver({});
  const probe = await driver.probe();
  if (!probe.available) throw new Error(`bwrap cannot be measured here: ${probe.detail} ${probe.remedy ?? ""}`);
  const inSandbox = async () => {
    const handle = await driver.start({
      program: { shell: "true" },
      workspace,
      workdir: ".",
      writable: true,
      env: {},
      network: "none",
      limits: {},
      protectedPaths: [],
      stdin: "closed",
      timeoutMs: 10_000,
    });
    const { exit } = await handle.exited;
    if (exit.exitCode !== 0) throw new Error(`true ended with ${JSON.stringify(exit)}`);
  };
  const plain = () =>
    new Promise<void>((resolve, reject) => {
      spawn("sh", ["-c", "true"], { cwd: workspace, stdio: "ignore" })
        .on("error", reject)
        .on("close", () => resolve());
    });
  const ours: number[] = [];
  const peer: number[] = [];
  try {
    for (let run = -5; run < runs; run += 1) {
      for (const [times, action] of [
        [ours, inSandbox],
        [peer, plain],
      ] as const) {
        await wait(pause);
        const start = performance.now();
        await action();
        if (run >= 0) times.push(performance.now() - start);
      }
    }
  } finally {
    await driver.close();
    await rm(workspace, { recursive: true, force: true });
  }
  const ratio = median(ours) / median(peer);
  return [
    {
      name: "exec true, warm sandbox",
      ours: median(ours),
      peer: median(peer),
      peerName: "sh -c true",
      ratio,
      unit: "ms p50",
      target: "at most 1.25 times",
      holds: ratio <= 1.25,
    },
  ];
}
