import { enterFolder, type LineState, startIn } from "../judge/judge-coverage.ts";
import { findProgram } from "../programs/programs.ts";
import type { InnerCommand } from "../read/analyse-line.ts";
import type { Word } from "../words/decode-word.ts";
import type { ProgramRule } from "../words/program-rule.ts";
import { optionTable, scanArguments } from "../words/scan-arguments.ts";
import { type TreeWalk, wholeTree } from "../words/tree-walk.ts";

/** What one command of a line touches on the disk, as its words say. */
export interface Touched {
  readonly command: InnerCommand;
  /** Folders that it may run in, relative to the workspace, which is "". Undefined where the text does not say which. */
  readonly folders: LineState["folders"];
  /** Words that may name files and folders; one that is a pattern stands for what it matches. */
  readonly paths: readonly Word[];
  /** `names`: it prints names and attributes of those, and nothing that they hold. */
  readonly reads: "content" | "names";
  readonly walk?: TreeWalk | undefined;
  /** It prints the addresses of a repository's remotes as they are. */
  readonly showsRemotes?: boolean | undefined;
  /** `operands`: it moves or copies what its paths name. `unknown`: it puts files in place that its words do not name. */
  readonly places?: "operands" | "unknown" | undefined;
}

/** What the commands of a line touch on the disk, in order, and what their redirects name; the folder that each runs in follows from the line before it. */
export function findTouched(commands: readonly InnerCommand[], workdir: string | null | undefined): readonly Touched[] {
  let folders = startIn(workdir ?? "", commands[0]?.argv[0]?.roots);
  return commands.flatMap((command): readonly Touched[] => {
    const touched = { command, folders, ...touchedBy(command) };
    const redirected = command.redirects.flatMap((redirect) => ("target" in redirect ? redirect.target : []));
    const fed = { command, folders, paths: redirected, reads: "content" } as const;
    if (findProgram(command.argv[0]?.text ?? "")?.moves) folders = enterFolder(folders, command);
    return redirected.length > 0 ? [touched, fed] : [touched];
  });
}

type Words = Pick<Touched, "paths" | "reads" | "walk" | "showsRemotes" | "places">;

function touchedBy(command: InnerCommand): Words {
  const [name, ...words] = command.argv;
  const rule = findProgram(name?.text ?? "");
  const own = (rule && readByRule(rule, words, command)) ?? { paths: words.flatMap(partsOf), reads: "content" as const };
  const walk = own.walk ?? walkOfAdded(command);
  return { ...own, ...(walk && { walk }) };
}

const noOptions = optionTable("");

/** Undefined for words that were not reviewed: each of them may be a path. */
function readByRule(rule: ProgramRule, words: readonly Word[], command: InnerCommand): Words | undefined {
  const [first] = words;
  const mode = rule.modes?.get(first?.text ?? "");
  if (mode) return readByRule(mode, words.slice(1), command);
  if (rule.subcommands) {
    const at = words.findIndex((word) => rule.options?.get(word.text) !== "flag");
    const subcommand = rule.subcommands.get(words[at]?.text ?? "");
    if (at < 0) return { paths: [], reads: "names" };
    return subcommand && readByRule(subcommand, words.slice(at + 1), command);
  }
  const reads = rule.showsNames ? "names" : "content";
  const walked = rule.walksBy?.(words);
  if (walked) return { paths: walked.roots, reads: "names", walk: walked };
  // A pattern is replaced by names, also where the program takes texts.
  const patterns = words.filter(({ glob }) => glob);
  if (rule.words) return rule.operands === "text" || rule.readOnly ? { paths: patterns, reads: "names" } : undefined;
  const scanned = scanArguments(words, { options: rule.options ?? noOptions, numbers: rule.numbers, stopAtOperand: rule.passesOn });
  if (typeof scanned === "string") return undefined;
  const named = scanned.options.flatMap(({ kind, value }) => (kind === "path" && value ? value : []));
  if (rule.operands === undefined || rule.operands === "text") {
    return {
      ...{ paths: [...patterns, ...named], reads: named.length > 0 ? reads : "names", showsRemotes: rule.showsRemotes },
      places: rule.replacesFiles ? "unknown" : undefined,
    };
  }
  const { count = 0, unless = [] } = rule.textFirst ?? {};
  const operands = scanned.operands.slice(scanned.options.some((option) => unless.includes(option.name)) ? 0 : count);
  return {
    paths: [...operands, ...named],
    reads,
    places: rule.replacesFiles ? "unknown" : rule.placesFiles === "operands" ? "operands" : undefined,
    walk: rule.walks?.(scanned, { paths: operands, isFed: command.pipedFrom !== undefined }),
  };
}

/** What a list of files in the input adds (`find . | xargs cat`): all that the program before it may print the name of. */
function walkOfAdded(command: InnerCommand): TreeWalk | undefined {
  if (!command.appended || typeof command.pipedFrom !== "object") return undefined;
  const [name, ...words] = command.pipedFrom.argv;
  const rule = findProgram(name?.text ?? "");
  const listed = rule && readByRule(rule, words, { ...command, ...command.pipedFrom, appended: false });
  if (!listed) return undefined;
  const [own, ...rest] = command.argv;
  const reader = findProgram(own?.text ?? "");
  const enters = reader !== undefined && readByRule(reader, rest, { ...command, pipedFrom: undefined })?.walk !== undefined;
  const walk = listed.walk ?? { ...wholeFolders, roots: listed.paths };
  return { ...walk, reads: reader?.showsNames ? "names" : "content", follows: walk.follows || enters };
}

const wholeFolders = { ...wholeTree, listsLinks: true } as const;

/** A word, and the parts of it that may name a file: `--file=a`, `-fa`, `@a`, `if=a`. */
function partsOf(word: Word): readonly Word[] {
  const { text } = word;
  const parts = [
    text,
    /^[^=]*=(.+)$/s.exec(text)?.[1],
    /^-[A-Za-z](.+)$/s.exec(text)?.[1],
    /^@(.+)$/s.exec(text)?.[1],
    /=@(.+)$/s.exec(text)?.[1],
  ];
  return parts.flatMap((part) => (part === undefined ? [] : { ...word, text: part }));
}
