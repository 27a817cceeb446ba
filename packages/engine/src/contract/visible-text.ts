/** Whatever is not a letter, mark, number, punctuation, symbol, plain blank, tab or line feed; and of those what has no shape. */
const hidden = /[^\n\t \p{L}\p{M}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu;

/**
 * The text with everything that a screen would hide or obey written out: control, zero-width, bidirectional and tag characters,
 * odd blanks, lone surrogates, and long runs of blanks that push the rest out of sight (R-AP-7). Line feeds and tabs stay.
 */
export function visibleText(text: string): string {
  return text
    .replace(/ {9,}/g, (blanks) => `<${blanks.length} spaces>`)
    .replace(/\n{4,}/g, (feeds) => `\n<${feeds.length} line feeds>\n`)
    .replace(/\r\n/g, "\n")
    .replace(hidden, writeOut);
}

/** Any text as one line. It holds nothing that a terminal obeys, and line feeds and tabs are written out (R-AU-3). */
export function oneLine(text: string): string {
  return visibleText(text).replaceAll("\n", "<U+000A>").replaceAll("\t", "<U+0009>");
}

/** JSON that is safe on a screen, too: JSON itself lets the second block of control characters stand. `indent`: blanks of each level. */
export function visibleJson(value: unknown, indent?: number): string {
  // What is no JSON has no text.
  return (JSON.stringify(value, null, indent) ?? "").replace(
    /[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The text with one full stop at its end, where it has none. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** `1 file`, `2 files`; a plural that is not made by an s is given. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Each character that was written out once: as many as Unicode hides. */
const writtenOut = new Map<string, string>();

function writeOut(character: string): string {
  let written = writtenOut.get(character);
  if (written === undefined) {
    written = `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
    writtenOut.set(character, written);
  }
  return written;
}

/** Where a character without a shape belongs: in an emoji, in a key, and between letters of scripts in which a joiner decides how they are written. */
const pictograph = "\\p{Extended_Pictographic}(?:\\uFE0F|\\p{Emoji_Modifier})?";
const joining = "[\\p{scx=Arab}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Taml}\\p{scx=Mlym}\\p{scx=Sinh}]";
const belonging = `${pictograph}(?:\\u200D${pictograph})*|[0-9#*]\\uFE0F\\u20E3|(?<=${joining})[\\u200C\\u200D](?=${joining})`;
/** Compiled when it is first used, which takes milliseconds. */
let hiddenElsewhere: RegExp | undefined;

/** The text with its hidden characters written out, for a model: what only lays it out stays, and any blank is a plain one. */
export function visibleCharacters(text: string): string {
  hiddenElsewhere ??= new RegExp(`(${belonging})|${hidden.source}`, "gu");
  return text
    .replace(/\r\n|[\u2028\u2029]/g, "\n")
    .replace(/\p{Zs}/gu, " ")
    .replace(hiddenElsewhere, (character, kept?: string) => kept ?? writeOut(character));
}
