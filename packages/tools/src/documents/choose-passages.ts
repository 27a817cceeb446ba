import type { DocumentPart } from "@toolwright/engine/ports";
import { cutChunks } from "../knowledge/cut-chunks.ts";

export interface ChosenPassages {
  /** In the order of the document. */
  readonly passages: readonly Pick<DocumentPart, "page" | "cell" | "text">[];
  /** Passages of the whole document. */
  readonly total: number;
}

/** Characters of what stands between two passages. */
const markOfPassage = 20;

/** What of a document a question is to be answered from: all of it where there is room, else the passages that hold the rarest words of the question. */
export function choosePassages(
  parts: readonly DocumentPart[],
  { question, room }: { readonly question: string; readonly room: number },
): ChosenPassages {
  const passages = [...cutChunks(parts)];
  const words = wordsOf(question);
  const held = passages.map(({ text }) => [...wordsOf(text)].filter((word) => words.has(word)));
  const weights = new Map(
    [...words].map((word) => [word, Math.log(1 + passages.length / (1 + held.filter((some) => some.includes(word)).length))]),
  );
  const scores = held.map((some) => some.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0));
  // The sort keeps the order of the document where scores are equal.
  const best = [...passages.keys()].sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const chosen = new Set<number>();
  let left = room;
  for (const at of best) {
    left -= (passages[at]?.text.length ?? 0) + markOfPassage;
    if (left < 0) break;
    chosen.add(at);
  }
  return { passages: passages.filter((_, at) => chosen.has(at)), total: passages.length };
}

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
