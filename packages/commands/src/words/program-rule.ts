import type { Word } from "./decode-word.ts";
import type { Objection } from "./judge-path-word.ts";
import type { OptionTable, ScannedArguments } from "./scan-arguments.ts";
import type { ScanWalk, TreeWalk } from "./tree-walk.ts";

/** Whole commands that show a review at work; every one of them is judged by the tests. */
export interface Examples {
  /** Harmless, and so they run once a rule covers the program. */
  readonly match: readonly string[];
  /** They ask although a rule covers the program: they run, write or send something, or read elsewhere. */
  readonly notMatch: readonly string[];
}

/**
 * What is known of one program, reviewed by a person: a list of the arguments that are harmless once a rule covers the
 * program. Whatever is not on the list asks.
 */
export interface ProgramRule {
  /** Why these arguments are harmless, or what was left out and why. */
  readonly reason: string;
  /** Examples of the program itself; each subcommand has its own. */
  readonly examples: Examples;
  readonly options?: OptionTable;
  /** `-5` and the like. */
  readonly numbers?: boolean;
  /** What the operands are: text without effect, paths that are read, changed or removed. Default: none are taken. */
  readonly operands?: "text" | "read" | "write" | "delete";
  /** Most operands; more of them ask. */
  readonly maxOperands?: number;
  /** How many operands come first that are text, unless one of `unless` is given (the pattern of grep). */
  readonly textFirst?: { readonly count: number; readonly unless: readonly string[] };
  /** No option of the program does harm, so file names that look like options may be among the operands. */
  readonly globSafe?: boolean;
  /** It does nothing at all and needs no rule. */
  readonly inert?: boolean;
  /** It changes nothing: part of the built-in rules, low risk. */
  readonly readOnly?: boolean;
  /** What it does depends on files in the current folder (repository settings, scripts), so it must run where the rule meant it to. */
  readonly trustsFolder?: boolean;
  /** The files that it obeys are the project's own, which tools may write in any folder of the workspace: each of them is as good as the root. */
  readonly obeysProject?: boolean;
  /** The only files that it obeys are the configuration of the repository that it meets: where somebody looks at that first, each folder is as good as the root. */
  readonly obeysRepository?: boolean;
  /** True when the output is names of files below the current folder and nothing else, for `xargs`. */
  readonly listsFiles?: (words: readonly Word[]) => boolean;
  /** It prints names and attributes of what its operands name, and nothing that files hold. */
  readonly showsNames?: boolean;
  /** How it looks through folders. Without it a folder among the operands is not entered. */
  readonly walks?: ScanWalk;
  /** How a program whose words are judged as a whole looks through folders. Without it a folder among the operands is not entered. */
  readonly walksBy?: (words: readonly Word[]) => TreeWalk | undefined;
  /** It prints the addresses of a repository's remotes as they are. */
  readonly showsRemotes?: boolean;
  /** What it prints is of the machine that it runs on, beyond the folder of the call. */
  readonly showsMachine?: boolean;
  /** What follows on the line runs in another folder. */
  readonly moves?: boolean;
  /** It can put content, its input or its operands, where another command of the line runs it. */
  readonly placesFiles?: "input" | "operands";
  /** It replaces files of the work tree by others that its words do not name. */
  readonly replacesFiles?: boolean;
  /** Runs code from a file or its arguments; "always allow" is never offered for it. */
  readonly interpreter?: boolean;
  /** This many words, the program's own included, must be written out in the covering pattern. */
  readonly pinned?: number;
  /** Operands end the options, and whatever follows the first operand goes to what it names. */
  readonly passesOn?: boolean;
  /** Alone, without a subcommand, it does something that is not reviewed. */
  readonly needsSubcommand?: boolean;
  readonly subcommands?: ReadonlyMap<string, ProgramRule>;
  /** Options before the subcommand that change nothing about what a rule means. */
  readonly neutral?: ReadonlySet<string>;
  /** First words that give all the others another meaning. */
  readonly modes?: ReadonlyMap<string, ProgramRule>;
  /** Judges all the words after the name, in place of options and operands. */
  readonly words?: (words: readonly Word[]) => Objection;
  /** A further look at the arguments. */
  readonly check?: (scanned: ScannedArguments) => Objection;
}

export type ProgramTable = Readonly<Record<string, ProgramRule>>;
