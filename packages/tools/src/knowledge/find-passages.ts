import type { DocumentRecord, Embedder, Knowledge, KnowledgeStore, Passage, Sharer } from "@toolwright/engine/ports";
import { askVectors, citeOf, type RankedItem, type Ranking, rankFound, readQuery } from "../ranking/index.ts";

/** A passage, and how well it answers. */
export type FoundPassage = RankedItem<Passage>;

export interface FoundPassages {
  readonly passages: readonly FoundPassage[];
  readonly ranking: Ranking;
  /** Documents of which a version waits, or could not be read. */
  readonly notSearched: readonly Pick<DocumentRecord, "id" | "title" | "state">[];
}

interface SearchedKnowledge {
  readonly store: KnowledgeStore;
  /** Opens the model that makes vectors. Left out: words and names decide. */
  readonly embedder?: (() => Promise<Embedder>) | undefined;
}

interface Asked {
  readonly text: string;
  readonly collection?: string;
  readonly limit: number;
  readonly sharer?: Sharer;
  readonly signal?: AbortSignal;
}

export async function findPassages({ store, embedder }: SearchedKnowledge, tenant: string, asked: Asked): Promise<FoundPassages> {
  const { text, collection, limit, sharer, signal } = asked;
  const query = readQuery(text);
  const { vector, without } = await askVectors(query, { index: store.vectors, embedder }, { tenant, sharer, ...(signal && { signal }) });
  const found = await store.search(tenant, { ...query, ...(vector && { vector }), ...(collection !== undefined && { collection }) });
  const { items, ranking } = rankFound(query, found, {
    limit,
    describe,
    without: [...(found.total === 0 ? [describeEmpty(collection)] : []), ...without],
  });
  return { passages: items, ranking, notSearched: found.notSearched };
}

const describeEmpty = (collection: string | undefined) =>
  `There are no documents to search${collection === undefined ? "" : ` in the collection ${JSON.stringify(collection)}`}.`;

const describe = ({ text, headings, document }: Passage) => ({
  text,
  names: [document.title, ...headings].join("\n"),
  savedAt: document.updatedAt,
});

/** Searches for people, as agents search. */
export function searchKnowledge(searched: SearchedKnowledge): Knowledge["search"] {
  return async (tenant, text, options) => {
    const { passages, ranking, notSearched } = await findPassages(searched, tenant, { text, ...options });
    return {
      items: passages.map(({ item, score, weak }) => {
        const { id, title } = item.document;
        const citation = citeOf({ ...item, title });
        return { text: item.text, citation, document: id, title, page: item.page, offset: item.from, score, weak };
      }),
      without: ranking.without,
      notSearched,
    };
  };
}
