import type { Word } from "./decode-word.ts";

/** Folders that only the machine's owner writes. */
const trusted = /^\/(?:usr\/)?(?:local\/)?s?bin\/([^/]+)$/;

/** The name under which rules know a program: the last part of a trusted absolute path, else the word itself. */
export function resolveProgram(text: string): string {
  return trusted.exec(text)?.[1] ?? text;
}

/** The argv as rules see it. */
export function resolveArgv(argv: readonly Word[]): readonly Word[] {
  const [first, ...rest] = argv;
  return first ? [{ ...first, text: resolveProgram(first.text) }, ...rest] : argv;
}

/** The last part of a program's path: denials hold wherever the program lies. */
export function baseName(text: string): string {
  return text.slice(text.lastIndexOf("/") + 1);
}
