import type { Word } from "../words/decode-word.ts";

/** A program's own argv without the commands that it runs, and those, each with names of files added at its end. */
export interface SplitCommand {
  readonly own: readonly Word[];
  readonly inner: readonly (readonly Word[])[];
}

/** Stands where a clause stood, so that a clause that is really the value of another predicate cannot hide one. */
const print: Word = { text: "-print", glob: false, tilde: false, splitQuotes: false };

/** Takes `-exec PROGRAM ... {} ;` and `-exec PROGRAM ... {} +` out of the words of find; `{}` must stand last and alone. */
export function splitFind(argv: readonly Word[]): SplitCommand | undefined {
  const own: Word[] = [];
  const inner: (readonly Word[])[] = [];
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as Word;
    if (word.text !== "-exec") {
      own.push(word);
      continue;
    }
    const end = argv.findIndex((next, index) => index > at && (next.text === ";" || (next.text === "+" && argv[index - 1]?.text === "{}")));
    const clause = argv.slice(at + 1, end - 1);
    if (end < 0 || argv[end - 1]?.text !== "{}" || clause.length === 0) return undefined;
    if (clause.some(({ text, glob }) => glob || text.includes("{}"))) return undefined;
    inner.push(clause);
    own.push(print);
    at = end;
  }
  return inner.length > 0 ? { own, inner } : undefined;
}
