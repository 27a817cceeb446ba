/** A text as the database can hold it: it knows no NUL and no lone surrogate. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll("\u0000", "\uFFFD");
}

/** False for an id that no row can have. */
export function isStorable(text: string): boolean {
  return text === storableText(text);
}
