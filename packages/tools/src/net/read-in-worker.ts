import { Worker } from "node:worker_threads";
import type { ReadablePage, ReadOptions } from "./readable-page.ts";

/** The worker stands beside this file, as source or built. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./page-worker.ts" : "./page-worker.js", import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** Reads a page in a thread of its own, so that hostile HTML costs neither the event loop nor more than this time. Undefined when it did not work out. */
export function readInWorker(html: string, options: ReadOptions & { readonly timeoutMs: number; readonly signal: AbortSignal }) {
  const { timeoutMs, signal, ...read } = options;
  return new Promise<ReadablePage | undefined>((resolve) => {
    const worker = new Worker(workerFile, { workerData: { html, options: read }, env: {}, resourceLimits });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const end = (page?: ReadablePage) => {
      limit.removeEventListener("abort", abort);
      void worker.terminate();
      resolve(page);
    };
    const abort = () => end();
    if (limit.aborted) abort();
    limit.addEventListener("abort", abort, { once: true });
    worker.once("message", end);
    worker.once("error", () => end());
    worker.once("exit", () => end());
  });
}
