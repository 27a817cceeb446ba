import { ToolwrightError } from "@toolwright/engine/errors";
import type { Embedder, SearchQuery, Sharer, VectorIndex } from "@toolwright/engine/ports";
import { keepSome } from "./keep-vectors.ts";
import { tagOf } from "./languages.ts";
import type { Query } from "./read-query.ts";

export interface VectorParts {
  readonly index: VectorIndex;
  /** Opens the model. Left out: words and names decide alone. */
  readonly embedder: (() => Promise<Embedder>) | undefined;
}

export interface AskedVectors {
  /** For the store; none where vectors take no part. */
  readonly vector?: NonNullable<SearchQuery["vector"]>;
  /** Why they take no part, in sentences. */
  readonly without: readonly string[];
}

/** Texts that wait and get their vectors together with a query: what was saved a moment ago is found by meaning, too. */
const mostPending = 32;

/**
 * Makes the vector of a query, and those of a few texts of the owner that have none yet. *Contract:* a search goes on by words where this cannot be had,
 * and its caller is told why; it rejects with the signal's reason alone.
 */
export async function askVectors(
  query: Query,
  { index, embedder }: VectorParts,
  options: { readonly tenant: string; readonly owner?: string; readonly sharer?: Sharer | undefined; readonly signal?: AbortSignal },
): Promise<AskedVectors> {
  const { signal, sharer, ...of } = options;
  if (!embedder) return { without: ["No embedder is configured, so words and names decide."] };
  try {
    const lack = await index.unavailable();
    if (lack !== undefined) return { without: [lack] };
    const model = await embedder();
    const tag = tagOf[query.language];
    if (model.languages.length > 0 && (tag === undefined || !model.languages.includes(tag))) {
      return {
        without: [`The embedder ${model.model} understands ${model.languages.join(", ")} alone, and the query is in another language.`],
      };
    }
    const waiting = await index.pending(model.model, { ...of, limit: mostPending });
    const [[value]] = await Promise.all([
      model.embed([query.text], { signal, sharer }),
      keepSome(waiting, { index, embedder: model, sharer, signal }),
    ]);
    return value ? { vector: { model: model.model, value }, without: [] } : { without: ["The embedder answered without a vector."] };
  } catch (error) {
    signal?.throwIfAborted();
    return { without: [`The embedder failed, so words and names decide. ${ToolwrightError.is(error) ? error.message : String(error)}`] };
  }
}
