import { analyseLine } from "../read/analyse-line.ts";
import type { InnerCommand } from "../read/unwrap-command.ts";
import { baseName } from "../words/resolve-program.ts";
import { readGitWords } from "./git-words.ts";

/** A git command that a line runs. */
export interface GitCommand {
  /** All words after the program's name; of `xargs` without those that it adds. */
  readonly words: readonly string[];
  /** "" where none is certain: `git --version`, a program that runs git in its own way. */
  readonly subcommand: string;
  /** Its output reaches the result line by line: no other command takes it apart, and no file gets it. */
  readonly isLast: boolean;
}

/** The git commands of a line, and whether it is made of nothing else. */
export interface GitLine {
  readonly commands: readonly GitCommand[];
  /** True when every other command of the line only moves, prints words, or reads what it is given: no other one opens a file. */
  readonly isPure: boolean;
}

/** Programs that run git in a way that their words do not say. */
const frontends = /^(?:git-[\w-]+|gh|glab|hub|tig|lazygit|gitk|jj|stg)$/;
const inert = new Set(["cd", "echo", "printf", "true", ":", "pwd"]);

/** Finds the git commands that a line runs itself, also behind wrappers. Undefined when the line is not understood. */
export function findGitCommands(line: string): GitLine | undefined {
  const analysis = analyseLine(line);
  if (!analysis.ok) return undefined;
  const names = analysis.commands.map(({ argv }) => baseName(argv[0]?.text ?? ""));
  const fed = analysis.commands.filter(({ pipedFrom }) => pipedFrom !== undefined);
  const sourceOf = ({ pipedFrom }: InnerCommand) => (typeof pipedFrom === "object" ? pipedFrom.source : pipedFrom);
  const all = new Set(fed.map(sourceOf));
  const sources = new Set(fed.filter((command) => !passesLines(command) || all.has(command.source) || all.has("group")).map(sourceOf));
  const commands = analysis.commands.flatMap((command, index): GitCommand[] => {
    const name = names[index] ?? "";
    if (name !== "git" && !frontends.test(name)) return [];
    const words = command.argv.slice(1).map(({ text }) => text);
    const writes = command.redirects.some((redirect) => redirect.kind === "write" && redirect.target.text !== "/dev/null");
    const feeds = sources.has(command.source) || sources.has("group") || writes;
    return [{ words, subcommand: (name === "git" ? readGitWords(words).subcommand : undefined) ?? "", isLast: !feeds }];
  });
  const opensNothing = (command: InnerCommand, index: number) => inert.has(names[index] ?? "") || readsInputOnly(command);
  return { commands, isPure: analysis.commands.every((command, index) => names[index] === "git" || opensNothing(command, index)) };
}

/** A filter at the end of a pipe, without a word that could name a file. */
function readsInputOnly({ argv, pipedFrom, redirects, appended }: InnerCommand): boolean {
  const [name = "", ...words] = argv.map(({ text }) => text);
  if (pipedFrom === undefined || appended || redirects.some(({ kind }) => kind === "read")) return false;
  const operands = words.filter((word) => !word.startsWith("-"));
  switch (baseName(name)) {
    case "grep":
      return operands.length === 1 && words.every((word) => !word.startsWith("-") || /^-[cEFiHhnovwxqm]+$/.test(word));
    case "head":
    case "tail":
      return words.every((word) => /^-(?:n|c|n?\d+|-lines=\d+)$|^\d+$/.test(word));
    case "cat":
    case "sort":
    case "uniq":
    case "wc":
      return words.every((word) => /^-[a-zA-Z]+$/.test(word));
    default:
      return false;
  }
}

/** Prints whole lines of what it gets, and nothing about them. */
function passesLines({ argv, redirects }: InnerCommand): boolean {
  const [name = "", ...words] = argv.map(({ text }) => text);
  const writes = redirects.some((redirect) => redirect.kind === "write" && redirect.target.text !== "/dev/null");
  return /^(?:head|tail|cat)$/.test(baseName(name)) && !writes && words.every((word) => /^-(?:n|n?\d+|-lines=\d+)$|^\d+$/.test(word));
}
