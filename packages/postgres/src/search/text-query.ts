import type { SearchQuery } from "@toolwright/engine/ports";

/** A word of a query, or several that stand beside each other, as a search looks for them. */
export interface SearchTerm {
  /** As the query has it. */
  readonly word: string;
  /** As PostgreSQL reads it: words of letters and digits alone, in quotes, each beside the next. */
  readonly quoted: string;
  readonly isCode: boolean;
}

const mostTerms = 32;
const longestWord = 100;

/** The codes and words of a query, each once. */
export function termsOf({ words, codes }: SearchQuery): readonly SearchTerm[] {
  return [...new Set([...codes, ...words])]
    .map((word) => ({ word, quoted: quote(word), isCode: codes.includes(word) }))
    .filter(({ quoted }) => quoted !== "")
    .slice(0, mostTerms);
}

const quote = (word: string) => {
  const lexemes =
    word
      .slice(0, longestWord)
      .toWellFormed()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return lexemes.map((lexeme) => `'${lexeme}'`).join(" <-> ");
};
