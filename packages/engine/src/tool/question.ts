import { visibleText } from "../contract/visible-text.ts";

declare const isSaid: unique symbol;

/** What a person is asked about a call, made by `say`: a text of one line. */
export type Question = string & { readonly [isSaid]: true };

/**
 * A tag for the words of a question. What stands in them of the input is marked as such, so that it cannot pass for the question's own words: a
 * plain name as it is, all else in quotes, cut where it is long, with every character that a screen would hide written out.
 */
export type Say = (words: TemplateStringsArray, ...values: readonly (string | number)[]) => Question;

/** Characters of one value. */
const longestValue = 120;
/** Characters of a question. */
const longestQuestion = 400;

export const say: Say = (words, ...values) =>
  words.map((word, index) => (index < values.length ? `${word}${markValue(String(values[index]))}` : word)).join("") as Question;

/** Any text as one line that hides nothing, of bounded length. */
export function asQuestion(text: string): Question {
  return cut(oneLine(text.slice(0, longestQuestion + 1)), longestQuestion) as Question;
}

const plain = /^[\w./:@+~-]+$/;

function markValue(text: string): string {
  const line = cut(oneLine(text.slice(0, longestValue + 1)), longestValue);
  return plain.test(line) ? line : `“${line.replace(/[“”]/g, '"')}”`;
}

function oneLine(text: string): string {
  return visibleText(text).replaceAll("\n", "⏎").replaceAll("\t", "⇥");
}

/** Never through the middle of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
