/** Whatever is not a letter, mark, number, punctuation, symbol, plain blank, tab or line feed; and of those what has no shape. */
const hidden = /[^\n\t \p{L}\p{M}\p{N}\p{P}\p{S}]|\p{Default_Ignorable_Code_Point}/gu;
const longBlank = /[^\S\n]{9,}|\n{4,}/g;

/** Makes what a person is asked to approve fully visible: hidden and direction-changing characters are named, long blanks counted (R-AP-7). */
export function showText(text: string): string {
  return text
    .replace(longBlank, (run) => ` ⟨${run.length} blanks⟩ `)
    .replace(hidden, (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}
