/** A text as one word of a POSIX shell. Single quotes leave everything but themselves as it is (POSIX Shell 2.2.2). */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
