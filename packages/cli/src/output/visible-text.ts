/**
 * The text with everything that a screen would hide or obey written out: control, zero-width, bidirectional and tag characters,
 * odd blanks, lone surrogates, and long runs of blanks that push the rest out of sight (R-AP-7). Line feeds and tabs stay.
 */
export function visibleText(text: string): string {
  return text
    .replace(/ {9,}/g, (blanks) => `<${blanks.length} spaces>`)
    .replace(/\n{4,}/g, (feeds) => `\n<${feeds.length} line feeds>\n`)
    .replace(/\r\n/g, "\n")
    .replace(/[^\n\t\x20-\x7e]/gu, (character) => (isPlain(character) ? character : `<U+${hexOf(character)}>`));
}

/** Letters, marks, numbers, punctuation and symbols, but for the few of them that have no shape. */
function isPlain(character: string): boolean {
  return /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(character) && !isShapeless(character.codePointAt(0) ?? 0);
}

/** Blank letters, the grapheme joiner, and variation selectors, which can carry hidden text. */
const shapeless = [0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x3164, 0xffa0];

function isShapeless(code: number): boolean {
  return shapeless.includes(code) || (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
}

function hexOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
