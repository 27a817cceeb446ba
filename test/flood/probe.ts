import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Probed } from "./judge-flood.ts";
import { send } from "./send.ts";

/** Milliseconds between two requests of a kind: the next one does not wait until the last is answered, as a server that stands still is asked, too. */
const everyMs = 50;
const mostWaitMs = 30_000;
const note = { method: "POST", path: "/tools/file_read/call", body: { path: "note.txt" } };

interface ProbeOptions {
  readonly url: string;
  readonly key: string;
  readonly seconds: number;
}

/** Reads a file with a key and asks whether the process serves, for so many seconds. */
export async function probe({ url, key, seconds }: ProbeOptions): Promise<Probed> {
  const own = monitorEventLoopDelay({ resolution: 10 });
  own.enable();
  const [read, health] = await Promise.all([
    askOften(seconds, async (signal) => (await send({ url, key }, note, signal)) === "200"),
    askOften(seconds, async (signal) => {
      const answer = await fetch(`${url}/healthz`, { signal });
      await answer.arrayBuffer();
      return answer.ok;
    }),
  ]);
  own.disable();
  const at = (share: number) => round(read.times[Math.floor(read.times.length * share)] ?? 0);
  return {
    read: { p50: at(0.5), p95: at(0.95), count: read.times.length, failed: read.failed },
    health: { most: round(health.times.at(-1) ?? 0), count: health.times.length, failed: health.failed },
    ownDelayMs: round(own.max / 1e6),
  };
}

async function askOften(seconds: number, ask: (signal: AbortSignal) => Promise<boolean>) {
  const times: number[] = [];
  let failed = 0;
  const under: Promise<void>[] = [];
  const begin = performance.now();
  for (let due = begin; due < begin + seconds * 1_000; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()));
    under.push(
      ask(AbortSignal.timeout(mostWaitMs))
        .catch(() => false)
        .then((succeeded) => {
          times.push(performance.now() - due);
          if (!succeeded) failed += 1;
        }),
    );
  }
  await Promise.all(under);
  return { times: times.sort((a, b) => a - b), failed };
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
