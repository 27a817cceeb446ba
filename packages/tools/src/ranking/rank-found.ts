import type { FoundSet } from "@toolwright/engine/ports";
import type { Candidate } from "./candidate.ts";
import { rank } from "./rank.ts";
import type { Query } from "./read-query.ts";

export type RankingPart = "text" | "names" | "vectors";

/** What took part in an order. */
export interface Ranking {
  readonly parts: readonly RankingPart[];
  /** Why one did not, in sentences. */
  readonly without: readonly string[];
  /** Little speaks for any of them. */
  readonly weak: boolean;
}

export interface RankedItem<Item> {
  readonly item: Item;
  readonly score: number;
  readonly weak: boolean;
}

export interface RankOptions<Item> {
  readonly limit: number;
  /** What of an item is ranked. */
  readonly describe: (item: Item) => Pick<Candidate, "text" | "names" | "savedAt">;
  /** Why vectors took no part, beside what the store says. */
  readonly without?: readonly string[];
}

/** Puts in order what a store found. */
export function rankFound<Item>(
  query: Query,
  found: FoundSet<Item>,
  { limit, describe, without = [] }: RankOptions<Item>,
): { readonly items: readonly RankedItem<Item>[]; readonly ranking: Ranking } {
  const candidates = found.candidates.flatMap(({ id, ...evidence }) => {
    const item = found.items.get(id);
    return item === undefined ? [] : [{ id, evidence, ...describe(item) }];
  });
  const { ranked, weak } = rank(query, { candidates, frequencies: found.frequencies, total: found.total, alike: found.alike }, { limit });
  const has = (part: "names" | "vector") => candidates.some(({ evidence }) => evidence[part] !== undefined);
  const parts: RankingPart[] = ["text", ...(has("names") ? (["names"] as const) : []), ...(has("vector") ? (["vectors"] as const) : [])];
  return {
    items: ranked.map(({ id, score, weak }) => ({ item: found.items.get(id) as Item, score, weak })),
    ranking: { parts, without: [...new Set([...without, ...found.without])], weak },
  };
}
