import type { Embedder } from "../../ports/embedder.ts";
import type { Sharer } from "../../ports/fair-pool.ts";
import type { Logger } from "../../ports/logger.ts";
import { createComparison } from "./compare-meanings.ts";
import { rankTexts, type WeightedTexts } from "./rank-texts.ts";

/** What of a tool is searched. */
interface SearchedTool {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly description: string;
  readonly examples: readonly { readonly label: string }[];
}

export interface FoundTool {
  readonly name: string;
  readonly title: string;
  /** From 0 to 1, which is for the best in everything that took part. */
  readonly score: number;
}

/** What took part in an order. */
export interface SearchRanking {
  readonly by: readonly ("text" | "vectors")[];
  /** Model of the vectors. */
  readonly model?: string | undefined;
  /** What the model understands, as BCP 47 tags. */
  readonly languages?: readonly string[] | undefined;
  /** Why vectors took no part. */
  readonly reason?: string | undefined;
}

export interface ToolSearch {
  readonly items: readonly FoundTool[];
  readonly ranking: SearchRanking;
}

interface SearchOptions {
  readonly limit: number;
  /** Who searches. */
  readonly sharer?: Sharer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Finds tools by words and by meaning, best first; those that have nothing to do with the query are left out. */
export type SearchTools = (query: string, tools: readonly SearchedTool[], options: SearchOptions) => Promise<ToolSearch>;

/** Similarity from which a meaning counts as near, and how near it must be beside the nearest: most of what has nothing to do with a tool stays below. */
const [near, nearest] = [0.3, 0.75];
/** How much the first places count before those that follow (Cormack, Clarke and Buettcher, "Reciprocal Rank Fusion", 2009), for short lists. */
const spread = 10;

/** Makes a search that keeps the vectors of what it searched. */
export function createToolSearch({ embedder, logger }: { readonly embedder?: Embedder | undefined; readonly logger: Logger }): SearchTools {
  const compare = embedder && createComparison(embedder);
  const rankMeanings = async (query: string, tools: readonly SearchedTool[], asked: Omit<SearchOptions, "limit">): Promise<Meanings> => {
    if (!embedder || !compare) return { ranking: { by: ["text"], reason: "No embedder is configured." } };
    const { model, languages } = embedder;
    try {
      const similarities = await compare(query, tools.map(meaningOf), asked);
      const places = placesOf(similarities, Math.max(near, nearest * Math.max(...similarities)));
      return { places, ranking: { by: ["text", "vectors"], model, languages } };
    } catch (error) {
      if (asked.signal?.aborted) return { ranking: { by: ["text"], reason: "The caller left." } };
      logger.log("warn", "The embedder failed, so tools were searched by their words alone.", { model, error: String(error) });
      return { ranking: { by: ["text"], reason: `The embedder ${model} failed. The log of the server says more.` } };
    }
  };
  return async (query, tools, { limit, ...asked }) => {
    const words = placesOf(rankTexts(query, tools.map(textsOf)), 0);
    const { places: meanings, ranking } = await rankMeanings(query, tools, asked);
    const ranked = meanings ? [words, meanings] : [words];
    const items = tools
      .map(({ name, title }, index) => ({ name, title, score: fuse(ranked.map((places) => places[index])) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
    return { items: items.slice(0, limit), ranking };
  };
}

/** A compiled tool's words are those of its definition. */
interface DefinedTool {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly definition: { readonly description: string; readonly examples?: readonly { readonly label: string }[] | undefined };
}

/** Those that share words with the query, best first, and equal ones by name. */
export function rankByWords<Tool extends DefinedTool>(query: string, tools: readonly Tool[]): readonly Tool[] {
  const texts = tools.map(({ name, title, group, definition: { description, examples = [] } }) =>
    textsOf({ name, title, group, description, examples }),
  );
  const scores = rankTexts(query, texts);
  const ranked = tools.map((tool, index) => ({ tool, score: scores[index] ?? 0 })).filter(({ score }) => score > 0);
  return ranked.sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1)).map(({ tool }) => tool);
}

interface Meanings {
  readonly places?: Places;
  readonly ranking: SearchRanking;
}

const sentencesOf = (description: string, count: number) => description.split(/(?<=[.!?])\s+/, count).join(" ");
const labelsOf = ({ examples }: SearchedTool) => examples.map(({ label }) => `${label}.`).join(" ");

/** What follows in a description tells a model of other tools. */
function textsOf(tool: SearchedTool): WeightedTexts {
  const { name, title, group, description } = tool;
  return [
    [name, 2],
    [title, 2],
    [group, 1],
    [labelsOf(tool), 1],
    [sentencesOf(description, 2), 1],
  ];
}

const meaningOf = (tool: SearchedTool) => `${tool.title}. ${labelsOf(tool)} ${sentencesOf(tool.description, 1)}`;

/** From 1, for those above the floor. */
type Places = readonly (number | undefined)[];

function placesOf(scores: readonly number[], floor: number): Places {
  const above = [...scores.entries()].filter(([, score]) => score > floor).sort(([, a], [, b]) => b - a);
  const places = new Map(above.map(([index], place) => [index, place + 1]));
  return scores.map((_, index) => places.get(index));
}

function fuse(places: Places): number {
  const sum = places.reduce<number>((total, place) => total + (place === undefined ? 0 : (spread + 1) / (spread + place)), 0);
  return sum / places.length;
}
