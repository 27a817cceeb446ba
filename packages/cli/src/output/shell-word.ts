import { visibleText } from "@toolwright/engine/visible-text";

/** A text as one word of a POSIX shell, quoted where it has to be. */
export function shellWord(text: string): string {
  const visible = visibleText(text);
  return /^[\w@%+=:,./-]+$/.test(visible) ? visible : `'${visible.replaceAll("'", "'\\''")}'`;
}
