/** True for a text with NUL in it, as it is or as addresses and forms write it. */
export function holdsNul(text: string): boolean {
  return text.includes("\0") || text.includes("%00");
}

/** The database could not be asked about it, and nothing that is meant holds one. */
export const nulWords = "Text must not contain NUL characters.";
