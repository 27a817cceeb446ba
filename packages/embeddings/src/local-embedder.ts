import { Worker } from "node:worker_threads";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type Clock, type Embedder, type EmbedOptions, FairPool, type Sharer, systemClock } from "@toolwright/engine/ports";
import type { Answered, Asked } from "./embed-worker.ts";

export interface LocalEmbedderOptions {
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** Milliseconds without a question after which the model leaves the memory. */
const idleMs = 10 * 60 * 1000;
/** Texts after which others have their turn. */
const textsOfATurn = 32;
/** Requests of one person that wait. */
const mostWaiting = 256;
const background: Sharer = { tenant: "", person: "background" };
/** The worker stands beside this file, as source or built. */
const workerFile = new URL(import.meta.url.endsWith(".ts") ? "./embed-worker.ts" : "./embed-worker.js", import.meta.url);

/**
 * Makes an embedder that runs here, in a thread of its own: the Universal Sentence Encoder Lite, for English, whose weights come with this package.
 * It is loaded when it is first asked, takes about 140 MB, and is unloaded when nobody has asked for ten minutes.
 */
export function createLocalEmbedder({ clock = systemClock }: LocalEmbedderOptions = {}): Embedder {
  const waiting = new Map<number, PromiseWithResolvers<readonly Float32Array[]>>();
  let worker: Worker | undefined;
  let stopIdling = () => {};
  let last = 0;
  const end = (ended: Worker, why: string) => {
    if (worker !== ended) return;
    worker = undefined;
    stopIdling();
    for (const { reject } of waiting.values()) reject(new ToolwrightError("internal", `The model of embeddings ended. ${why}`));
    waiting.clear();
  };
  const unload = (running: Worker, why: string) => {
    end(running, why);
    return running.terminate();
  };
  const hear = (running: Worker, answer: Answered) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("vectors" in answer) asked?.resolve(answer.vectors);
    else asked?.reject(new ToolwrightError("internal", `The model of embeddings failed. ${answer.error}`));
    if (waiting.size > 0 || worker !== running) return;
    // A program may end while the model is idle.
    running.unref();
    stopIdling = clock.after(idleMs, () => void unload(running, "Nobody asked."));
  };
  const start = () => {
    const started = new Worker(workerFile, { env: {} });
    started.on("message", (answer: Answered) => hear(started, answer));
    started.once("error", (error) => end(started, String(error)));
    started.once("exit", (code) => end(started, `Its thread exited with ${code}.`));
    return started;
  };
  const compute = (texts: readonly string[]): Promise<readonly Float32Array[]> => {
    stopIdling();
    worker ??= start();
    worker.ref();
    const asked: Asked = { id: ++last, texts };
    const answer = Promise.withResolvers<readonly Float32Array[]>();
    waiting.set(asked.id, answer);
    worker.postMessage(asked);
    return answer.promise;
  };
  const turns = serveInTurn(compute, clock);
  return {
    model: "universal-sentence-encoder-lite/energetic-ai-0.2.0",
    dimensions: 512,
    languages: ["en"],
    async embed(texts, options = {}) {
      options.signal?.throwIfAborted();
      if (texts.length === 0) return [];
      if (!options.stored) return turns.ask(texts.map(asWritten), options);
      const vectors = await turns.ask([...texts, ...texts.map(tellingWords)], options);
      return texts.map((_, at) => between(vectors[at] as Float32Array, vectors[texts.length + at] as Float32Array));
    },
    async close() {
      turns.end();
      if (worker) await unload(worker, "It was closed.");
    },
  };
}

type Compute = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** The thread computes one request after the other: tenants and their people have their turns, a long request several of them. */
function serveInTurn(compute: Compute, clock: Clock) {
  const places = new FairPool({ things: "texts to embed", capacity: 1, mostWaiting, clock });
  let closing = new AbortController();
  const takeTurn = async (texts: readonly string[], { signal, sharer = background }: EmbedOptions) => {
    const ended = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
    const place = await places.take(sharer, { signal: ended });
    if (ended.aborted) {
      place.free();
      throw ended.reason;
    }
    const vectors = compute(texts);
    // The thread goes on when the caller leaves.
    vectors.then(place.free, place.free);
    return unlessAborted(vectors, ended);
  };
  return {
    async ask(texts: readonly string[], options: EmbedOptions) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += textsOfATurn)
        vectors.push(...(await takeTurn(texts.slice(at, at + textsOfATurn), options)));
      return vectors;
    },
    /** Ends those that wait. */
    end() {
      closing.abort(new ToolwrightError("internal", "The model of embeddings ended. It was closed."));
      closing = new AbortController();
    },
  };
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

const question =
  /^(?:(?:at|by|for|from|in|on|since|to|until|with)\s+)?(?:how|what|when|where|which|who|whom|whose|why)\b|^(?:am|are|can|could|did|do|does|had|has|have|is|may|must|shall|should|was|were|will|would)\b/i;

/** A question with its capital and its mark. The model learnt from questions that have them, and is less sure of one without. */
function asWritten(text: string): string {
  const asked = text.trim();
  return question.test(asked) ? `${asked.charAt(0).toUpperCase()}${asked.slice(1).replace(/(?<![\s?])[\s?]+$/, "")}?` : text;
}

const small = new Set(
  "a about after all also am an and any are as at be because been before being but by can could did do does for from had has have he her his how i if in into is it its me more most my no not of off on once one only or other our out over she should so some such than that the their them then there these they this those through to too under until up very was we were what when where which while who why will with would you your".split(
    " ",
  ),
);

/** What a text is about. Its sentence alone would be near to all sentences of its form, also to those that speak of something else. */
function tellingWords(text: string): string {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !small.has(word)).join(" ") || text;
}

/** The direction between two, of length 1. */
function between(one: Float32Array, other: Float32Array): Float32Array {
  const sum = one.map((value, at) => value + (other[at] ?? 0));
  const length = Math.hypot(...sum) || 1;
  return sum.map((value) => value / length);
}
