import type { Candidate } from "./candidate.ts";
import { foldText, wordsIn } from "./fold-text.ts";
import { functionWords, languageOf } from "./languages.ts";
import { codesIn } from "./read-query.ts";
import { stemWord } from "./stem-word.ts";
import { weights } from "./weights.ts";

/** What changes when a fact does: times, amounts, days and months. */
const changing =
  /^v?\d|^(?:mon|tues|wednes|thurs|fri|satur|sun)days?$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/;

/**
 * Texts that say the same, perhaps of another time: most words of the shorter stand in the other, or their vectors are near. Names and codes that differ
 * speak against it, numbers and days do not.
 */
export function saysTheSame(one: Pick<Candidate, "text">, other: Pick<Candidate, "text">, alike = 0): boolean {
  const [a, b] = [tellingOf(one), tellingOf(other)];
  if (a.names.size > 0 && b.names.size > 0 && (a.names.size !== b.names.size || sharedBy(a.names, b.names) < a.names.size)) return false;
  return alike >= weights.sameCosine || shareOf(a.words, b.words) >= weights.sameWords;
}

/** Texts of one form, whoever or whatever they name. */
export function isLike(one: Pick<Candidate, "text">, other: Pick<Candidate, "text">, alike = 0): boolean {
  return alike >= weights.likeCosine || shareOf(tellingOf(one).words, tellingOf(other).words) >= weights.likeWords;
}

/** Which share of the words of the smaller stands in the other. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const smaller = Math.min(one.size, other.size);
  return smaller === 0 ? 0 : sharedBy(one, other) / smaller;
}

const sharedBy = (one: ReadonlySet<string>, other: ReadonlySet<string>) => [...one].filter((each) => other.has(each)).length;

interface Telling {
  readonly words: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

/** What compared texts say: each is compared with several. */
const known = new WeakMap<Pick<Candidate, "text">, Telling>();

function tellingOf(of: Pick<Candidate, "text">): Telling {
  const telling = known.get(of) ?? readTelling(of.text);
  known.set(of, telling);
  return telling;
}

function readTelling(text: string): Telling {
  const words = wordsIn(text);
  const language = languageOf(words);
  const telling = words.filter((word) => !functionWords[language].has(word) && !changing.test(word));
  const named = [...codesIn(text), ...innerCapitals(text)].map(foldText);
  const names = named.filter((name) => !changing.test(name) && !functionWords[language].has(name));
  return { words: new Set(telling.map((word) => stemWord(word, language))), names: new Set(names) };
}

/** Words with a capital that no sentence begins with. */
const innerCapitals = (text: string) => [...text.matchAll(/(?=\p{Lu})(?<=[\p{L}\p{N},;]\s+)\p{Lu}[\p{L}\p{N}]+/gu)].map(([word]) => word);
