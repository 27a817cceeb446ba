import type { Logger } from "@toolwright/engine";
import { type Clock, type Embedder, every, type VectorIndex } from "@toolwright/engine/ports";

export interface VectorLoop {
  readonly index: VectorIndex;
  /** Opened when there is something to do. */
  readonly embedder: () => Promise<Embedder>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const [atOnce, lookEveryMs] = [16, 60_000];

/**
 * Gives vectors to the texts that have none of this model: new ones, changed ones, and all when the model changes. One batch follows the other, so a
 * search gets in between. What fails is tried again at the next look. Returns what ends it, once what is under way has ended.
 */
export function startVectors({ index, embedder, clock, logger }: VectorLoop): () => Promise<void> {
  const stop = new AbortController();
  let running: Promise<void> | undefined;
  let isAsked = false;
  const work = async () => {
    do {
      isAsked = false;
      await keepAll(index, await embedder(), stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted)
          logger.log("warn", "The embedder failed, so new texts are found by their words alone until it answers.", {
            error: String(error),
          });
      });
    } while (isAsked && !stop.signal.aborted);
    running = undefined;
  };
  const look = () => {
    isAsked = true;
    running ??= work();
  };
  if (index.unavailable !== undefined) return async () => {};
  const stopLooking = every(lookEveryMs, clock, look);
  const stopHearing = index.onPending(look);
  look();
  return async () => {
    stopLooking();
    stopHearing();
    stop.abort();
    await running;
  };
}

async function keepAll(index: VectorIndex, embedder: Embedder, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const waiting = await index.pending(embedder.model, { limit: atOnce });
    if (waiting.length === 0) return;
    const vectors = await embedder.embed(
      waiting.map(({ text }) => text),
      { signal, stored: true },
    );
    await index.keep(
      embedder.model,
      waiting.flatMap((each, at) => (vectors[at] ? [{ ...each, vector: vectors[at] }] : [])),
    );
  }
}
