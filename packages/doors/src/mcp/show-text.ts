/** Control, format and separator characters, and letters without ink. */
const hidden = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\u115f\u1160\u3164\uffa0]/gu;
const longBlank = /[^\S\n]{9,}|\n{4,}/g;

/** Makes what a person is asked to approve fully visible: hidden and direction-changing characters are named, long blanks counted (R-AP-7). */
export function showText(text: string): string {
  return text
    .replace(longBlank, (run) => ` ⟨${run.length} blanks⟩ `)
    .replace(hidden, (character) => `⟨U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟩`);
}
