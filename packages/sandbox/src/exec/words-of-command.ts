/** A word of a shell: characters, escapes and quoted parts without a blank or operator between them. */
const shellWord = /(?:[^\s;&|<>()"'\\]|\\.|"(?:\\.|[^"\\])*"|'[^']*')+/gs;
const quoting = /\\(.)|["']/gs;
const attachedTo = (word: string) => (/^-[A-Za-z](?=.)/.test(word) ? [word.slice(2)] : []);
const separators = /[\s"'`;&|<>(){}=:,$]+/;

/**
 * Everything in a command line that may name a file: its words without their quotes, and the parts of these (`sh -c 'bash run.sh'`,
 * `--config=site.json`, `-Csub`). Read generously and without expansion; it is no judgement of what the line does.
 */
export function wordsOf(command: string): ReadonlySet<string> {
  const words = (command.match(shellWord) ?? []).map((word) => word.replace(quoting, "$1"));
  return new Set(
    [...words, ...command.split(separators), ...words.flatMap((word) => word.split(separators)), ...words.flatMap(attachedTo)].filter(
      (word) => word !== "",
    ),
  );
}
