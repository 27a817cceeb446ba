import type { SearchQuery } from "@toolwright/engine/ports";

/** A word of a query, or several that stand beside each other, as a search looks for them. */
export interface SearchTerm {
  /** As the query has it. */
  readonly word: string;
  /** Letters and digits alone, which PostgreSQL reads as they stand; a blank between two. */
  readonly lexemes: string;
  readonly isCode: boolean;
}

const mostTerms = 32;
const longestLexeme = 100;

/** The codes and words of a query, each once. */
export function termsOf({ words, codes }: SearchQuery): readonly SearchTerm[] {
  return [...new Set([...codes, ...words])]
    .map((word) => ({ word, lexemes: lexemesOf(word), isCode: codes.includes(word) }))
    .filter(({ lexemes }) => lexemes !== "")
    .slice(0, mostTerms);
}

const lexemesOf = (word: string) =>
  (word.toWellFormed().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join(" ").slice(0, longestLexeme).toWellFormed();
