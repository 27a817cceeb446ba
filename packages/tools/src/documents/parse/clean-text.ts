import type { DocumentNote } from "./document-note.ts";

/** Colours, moves and titles of a terminal (ECMA-48, 5.4 and 8.3.89). */
const sequences: readonly RegExp[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  /\x1b\[[0-?]*[ -/]*[@-~]/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  /\x1b\][^\x07\x1b\n]{0,1000}(?:\x07|\x1b\\)/g,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
  /\x1b[ -/]{0,4}[0-~]/g,
];

/** A text as a terminal shows it: without colours and moves, and each backspace takes back a character. Says how often there was some. */
export function withoutTerminal(text: string): { readonly text: string; readonly count: number } {
  let count = 0;
  const counted = () => {
    count += 1;
    return "";
  };
  const cleaned = sequences.reduce((before, pattern) => before.replace(pattern, counted), text);
  if (!cleaned.includes("\b")) return { text: cleaned, count };
  const shown: string[] = [];
  for (const character of cleaned) {
    if (character !== "\b") shown.push(character);
    else {
      count += 1;
      if (shown.at(-1) !== "\n") shown.pop();
    }
  }
  return { text: shown.join(""), count };
}

/** A text without sequences of terminals, and with a blank for each run of other control characters. Its lines stay. */
export function cleanText(given: string): { readonly text: string; readonly notes: readonly DocumentNote[] } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (!/[\0-\x08\x0e-\x1f]/.test(given)) return { text: given, notes: [] };
  const { text, count } = withoutTerminal(given);
  let others = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const cleaned = text.replace(/[\0-\x08\x0e-\x1f]+/g, () => {
    others += 1;
    return " ";
  });
  const what = "Control characters, such as colours of a terminal, are left out";
  const advice = "The words are whole; to see the characters themselves, read the file with a command.";
  return { text: cleaned, notes: [{ what, count: count + others, advice }] };
}
