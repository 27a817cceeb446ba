import type { Embedder, EmbedOptions } from "../../ports/embedder.ts";

const mostKept = 5_000;

/** How near texts are to a query, from -1 to 1. */
type CompareMeanings = (
  query: string,
  texts: readonly string[],
  asked: Pick<EmbedOptions, "sharer" | "signal">,
) => Promise<readonly number[]>;

/**
 * Makes a comparison that keeps the vectors of texts. A text has one, whoever asks: a tool that did not change is not read again, and what another
 * tenant has shows in nothing.
 */
export function createComparison(embedder: Embedder): CompareMeanings {
  const kept = new Map<string, Promise<Float32Array>>();
  const vectorsOf = (texts: readonly string[], { sharer }: Pick<EmbedOptions, "sharer">): Promise<readonly Float32Array[]> => {
    const missing = [...new Set(texts)].filter((text) => !kept.has(text));
    const embedding = embedder.embed(missing, { sharer });
    for (const [index, text] of missing.entries()) {
      const vector = embedding.then((vectors) => vectors[index] as Float32Array);
      vector.catch(() => kept.delete(text));
      kept.set(text, vector);
    }
    const vectors = Promise.all(texts.map((text) => kept.get(text) as Promise<Float32Array>));
    for (const text of kept.keys()) if (kept.size > mostKept) kept.delete(text);
    return vectors;
  };
  return async (query, texts, asked) => {
    const [[wanted], vectors] = await Promise.all([embedder.embed([query], asked), vectorsOf(texts, asked)]);
    return vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (wanted?.[at] ?? 0), 0));
  };
}
