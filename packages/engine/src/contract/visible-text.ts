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
    .replace(hidden, (character) => `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`);
}
