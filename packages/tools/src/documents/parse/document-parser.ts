import { Worker } from "node:worker_threads";
import { ToolwrightError } from "@toolwright/engine";
import { type DocumentParser, FairPool, type ParsedDocument, systemClock } from "@toolwright/engine/ports";
import { type Unreadable, usualLimits } from "./document.ts";
import type { ReadingOptions } from "./read-document.ts";

/** What the thread is started with. */
export interface Given {
  readonly bytes: Uint8Array;
  readonly options: ReadingOptions;
}

export type Answered = { readonly document: ParsedDocument } | { readonly unreadable: Unreadable };

/** The worker stands beside this file, as source or built. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./parse-worker.ts" : "./parse-worker.js", import.meta.url);
/** Documents that are read at once: each may take all of its memory. */
const mostAtOnce = 2;
/** Milliseconds between looks at what a thread takes. */
const lookEveryMs = 50;

const places = new FairPool({ things: "documents", capacity: mostAtOnce, clock: systemClock });

/**
 * Reads each document in a thread of its own: hostile bytes cost at most the limits, and no event loop but the thread's. Two are read at once, others
 * wait for their turn.
 */
export const documentParser: DocumentParser = {
  async parse({ bytes, limits, sharer, signal, ...request }) {
    const options: ReadingOptions = { ...request, limits: { ...usualLimits, ...limits } };
    const place = await places.take(sharer, { signal });
    try {
      // It may have ended meanwhile.
      signal.throwIfAborted();
      const answer = await readInThread({ bytes, options }, signal);
      if ("document" in answer) return answer.document;
      throw unreadable(answer.unreadable);
    } finally {
      place.free();
    }
  },
};

/** An error of the engine's, for what a reader found out. */
export function unreadable({ reason, message }: Unreadable): ToolwrightError {
  return new ToolwrightError("document_unreadable", message, { details: { reason } });
}

/** Rejects when the signal aborts. The thread is gone before it settles. */
function readInThread(given: Given, signal: AbortSignal): Promise<Answered> {
  const { ms, memoryMb } = given.options.limits;
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, {
      ...{ workerData: given, env: {}, stdout: true, stderr: true },
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    });
    const end = (settle: () => void) => {
      clearTimeout(timer);
      clearInterval(looking);
      signal.removeEventListener("abort", abort);
      worker.removeAllListeners();
      void worker.terminate().finally(settle);
    };
    const answer = (answered: Answered) => end(() => resolve(answered));
    const refuse = (unreadable: Unreadable) => answer({ unreadable });
    const abort = () => end(() => reject(signal.reason));
    const timer = setTimeout(() => refuse(tooSlow(ms)), ms);
    // What lies outside of the heap is in no limit of a thread.
    const looking = setInterval(() => void look(worker, memoryMb).then((isOver) => isOver && refuse(tooMuchMemory(memoryMb))), lookEveryMs);
    signal.addEventListener("abort", abort, { once: true });
    worker.once("message", answer);
    worker.once("error", (error: NodeJS.ErrnoException) =>
      refuse(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooMuchMemory(memoryMb) : brokenOff),
    );
    worker.once("exit", () => refuse(brokenOff));
  });
}

async function look(worker: Worker, memoryMb: number): Promise<boolean> {
  // It rejects for a thread that has just ended.
  const { used_heap_size: heap, external_memory: outside } = await worker
    .getHeapStatistics()
    .catch(() => ({ used_heap_size: 0, external_memory: 0 }));
  return heap + outside > memoryMb * 1_048_576;
}

const brokenOff: Unreadable = { reason: "damaged", message: "Reading the document broke off. Save or download it again." };

const tooSlow = (ms: number): Unreadable => ({
  reason: "too_slow",
  message: `Reading the document took more than ${ms / 1_000} seconds and was stopped. Name fewer pages, or split the document.`,
});

const tooMuchMemory = (memoryMb: number): Unreadable => ({
  reason: "too_much_memory",
  message: `Reading the document took more than ${memoryMb} MB of memory and was stopped. Name fewer pages, or split the document.`,
});
