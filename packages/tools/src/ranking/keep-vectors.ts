import type { Logger } from "@toolwright/engine";
import { type Clock, type Embedder, every, type PendingVector, type Sharer, type VectorIndex } from "@toolwright/engine/ports";

export interface VectorLoop {
  readonly index: VectorIndex;
  /** Opened when there is something to do. */
  readonly embedder: () => Promise<Embedder>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Texts of one batch, batches of one look for them, and milliseconds between two looks. */
const [atOnce, batches, lookEveryMs] = [4, 64, 60_000];

/**
 * Gives vectors to the texts that have none of this model: new ones, changed ones, and all when the model changes. One batch follows the other, so a
 * search gets in between. A start loads nothing: it looks when it is told of new texts, and every minute. What fails is tried again then. Returns what ends it, once what is under way has ended.
 */
export function startVectors({ index, embedder, clock, logger }: VectorLoop): () => Promise<void> {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let isAsked = false;
  const work = async () => {
    while (isAsked && !stop.signal.aborted) {
      isAsked = false;
      try {
        if ((await index.unavailable()) === undefined) await keepAll(index, await embedder(), stop.signal);
      } catch (error) {
        if (!stop.signal.aborted)
          logger.log("warn", "The embedder failed, so new texts are found by their words alone until it answers.", {
            error: String(error),
          });
      }
    }
    running = undefined;
  };
  const look = () => {
    isAsked = true;
    running ??= work();
  };
  const stopLooking = every(lookEveryMs, clock, look);
  const stopHearing = index.onPending(look);
  return async () => {
    stopLooking();
    stopHearing();
    stop.abort();
    await running;
  };
}

async function keepAll(index: VectorIndex, embedder: Embedder, signal: AbortSignal): Promise<void> {
  for (;;) {
    // To find what waits takes longer than to keep a few: it is looked for seldom.
    const waiting = await index.pending(embedder.model, { limit: atOnce * batches });
    for (let at = 0; at < waiting.length; at += atOnce) {
      if (signal.aborted) return;
      await keepSome(waiting.slice(at, at + atOnce), { index, embedder, signal });
    }
    if (waiting.length < atOnce * batches) return;
  }
}

interface Keeping {
  readonly index: VectorIndex;
  readonly embedder: Embedder;
  /** Who waits for them; left out in the background. */
  readonly sharer?: Sharer | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Gives these their vectors. */
export async function keepSome(waiting: readonly PendingVector[], { index, embedder, sharer, signal }: Keeping): Promise<void> {
  if (waiting.length === 0) return;
  const texts = waiting.map(({ text }) => text);
  const vectors = await embedder.embed(texts, { stored: true, sharer, signal });
  await index.keep(
    embedder.model,
    waiting.flatMap((each, at) => (vectors[at] ? [{ ...each, vector: vectors[at] }] : [])),
  );
}
