import { foldText, wordsIn } from "./fold-text.ts";
import { functionWords, languageOf, type TextLanguage } from "./languages.ts";

/** What is looked for, as the stores and the ranker read it. */
export interface Query {
  readonly text: string;
  /** Its words, in lower case and without marks. */
  readonly folded: string;
  /** Those that say what it is about, each once. */
  readonly words: readonly string[];
  /** Folded: tokens with a digit, an inner capital or an inner sign, as `abc-123` and `maxRetries`, and what stands in quotes. */
  readonly codes: readonly string[];
  /** Folded: what stands in quotes and has several words. */
  readonly phrases: readonly string[];
  readonly language: TextLanguage;
}

const [mostWords, mostCodes] = [24, 8];
const quoted = /"([^"]{2,200})"|“([^”]{2,200})”|„([^“”]{2,200})[“”]|«([^»]{2,200})»|`([^`]{2,200})`/g;
const tokens = /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}_.\-/#:@+]*[\p{L}\p{M}\p{N}])?/gu;
/** A number of one or two digits alone is none: it is in half of all texts. */
const code = /^(?!\p{N}{1,2}$)(?:.*(?:\p{N}|\p{Ll}\p{Lu}|[_/#:@+]|\p{L}[.-]\p{L})|\p{Lu}{2,}$)/u;
/** Written with a capital, and not only because a sentence begins. */
const named = /^\p{Lu}/u;
const mostNames = 500;

/** Reads what is looked for. *Contract:* any text is read, in time that grows with its length. */
export function readQuery(text: string): Query {
  const all = wordsIn(text);
  const language = languageOf(all);
  const telling = all.filter((word) => !functionWords[language].has(word));
  const quotes = [...text.matchAll(quoted)].map((match) => foldText(match.slice(1).find((part) => part !== undefined) ?? ""));
  return {
    text,
    folded: all.join(" "),
    words: unique(telling.length > 0 ? telling : all).slice(0, mostWords),
    codes: unique([...quotes, ...codesIn(text).map(foldText)]).slice(0, mostCodes),
    phrases: unique(quotes.filter((quote) => quote.includes(" "))),
    language,
  };
}

/** The codes and names of a text, folded, and before them `own`: its key or title. */
export function namesOf(text: string, own = ""): string {
  const found = tokensOf(text).filter((token) => code.test(token) || named.test(token));
  let names = "";
  for (const name of unique([foldText(own), ...found.map(foldText)])) {
    if (names.length + name.length < mostNames) names += names ? ` ${name}` : name;
  }
  return names;
}

/** The language of a text, by its function words; a short one without any counts as English. */
export function detectLanguage(text: string): TextLanguage {
  return languageOf(wordsIn(text.slice(0, 4_000)));
}

export const codesIn = (text: string): string[] => tokensOf(text).filter((token) => code.test(token));
const tokensOf = (text: string): string[] => text.toWellFormed().match(tokens) ?? [];
const unique = (values: readonly string[]): string[] => [...new Set(values)].filter((value) => value !== "");
