/** An option of git itself, before the subcommand. */
export interface GitOption {
  /** As written, with what stands behind "=". */
  readonly word: string;
  /** The next word, for the options that take it. */
  readonly value: string | undefined;
}

/** The words of a git command, after the program's name. */
interface GitWords {
  readonly options: readonly GitOption[];
  readonly subcommand: string | undefined;
  readonly operands: readonly string[];
}

/** Options that take the next word: `handle_options` in git's git.c. */
const valued = new Set([
  "-C",
  "-c",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--exec-path",
  "--config-env",
  "--super-prefix",
  "--attr-source",
]);

/** Takes a git command apart as git does. */
export function readGitWords(words: readonly string[]): GitWords {
  const options: GitOption[] = [];
  let at = 0;
  for (let word = words[at]; word?.startsWith("-"); word = words[++at])
    options.push({ word, value: valued.has(word) ? words[++at] : undefined });
  return { options, subcommand: words[at], operands: words.slice(at + 1) };
}
