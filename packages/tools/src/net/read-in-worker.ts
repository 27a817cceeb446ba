import { Worker } from "node:worker_threads";
import type { ReadablePage, ReadOptions } from "../html/readable-page.ts";

/** The worker stands beside this file, as source or built. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./page-worker.ts" : "./page-worker.js", import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };
/** Milliseconds between looks at what a thread took. */
const lookEveryMs = 100;
/** How many times its processor time a page may take where the machine is busy. */
const patience = 8;

interface ThreadOptions extends ReadOptions {
  /** Milliseconds of processor time: what a page waits for a busy machine does not count. */
  readonly processorMs: number;
  readonly signal: AbortSignal;
}

/** Reads a page in a thread of its own, so that hostile HTML costs neither the event loop nor more than this time. Undefined when it did not work out. */
export function readInWorker(html: string, options: ThreadOptions): Promise<ReadablePage | undefined> {
  const { processorMs, signal, ...read } = options;
  return new Promise<ReadablePage | undefined>((resolve) => {
    const worker = new Worker(workerFile, { workerData: { html, options: read }, env: {}, resourceLimits });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(processorMs * patience)]);
    const end = (page?: ReadablePage) => {
      clearInterval(looking);
      limit.removeEventListener("abort", abort);
      void worker.terminate();
      resolve(page);
    };
    const abort = () => end();
    const looking = setInterval(() => void processorTime(worker).then((ms) => ms > processorMs && abort()), lookEveryMs);
    if (limit.aborted) abort();
    limit.addEventListener("abort", abort, { once: true });
    worker.once("message", end);
    worker.once("error", () => end());
    worker.once("exit", () => end());
  });
}

/** Milliseconds that a thread computed for. Node before 24.6 only tells how long its event loop was busy. */
async function processorTime(worker: Worker): Promise<number> {
  // It rejects for a thread that has just ended.
  const used = await worker.cpuUsage?.().catch(() => undefined);
  return used ? (used.user + used.system) / 1_000 : worker.performance.eventLoopUtilization().active;
}
