import { readFileSync } from "node:fs";

/** A question over memories, written before the order was tuned; those that are `held` had no part in it. */
export interface MemoryQuestion {
  readonly kind: "paraphrase" | "code" | "pair" | "unanswerable";
  readonly held: boolean;
  readonly question: string;
  /** What answers it; of a pair the older first. */
  readonly memories: readonly string[];
}

export interface GuideQuestion {
  readonly held: boolean;
  readonly question: string;
  /** In docs/guide. */
  readonly file: string;
  /** What the passage holds that answers, but for blanks and line feeds. */
  readonly answer: string;
}

const read = <Question>(name: string): readonly Question[] =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Question);

export const memoryQuestions = read<MemoryQuestion>("memory.jsonl");
/** Of other memories, for tuning alone: none of them is held. Their order is judged by halves of them that are drawn many times. */
export const tuningQuestions = read<MemoryQuestion>("memory-tuning.jsonl");
export const guideQuestions = read<GuideQuestion>("guide.jsonl");

/** A text with one blank wherever it has any. */
export const flat = (text: string): string => text.replace(/\s+/g, " ");
