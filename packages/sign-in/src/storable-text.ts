/** False for a text that no row of PostgreSQL can hold: with NUL, or half of a character. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
