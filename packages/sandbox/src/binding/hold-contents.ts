import { realpath, stat } from "node:fs/promises";
import { basename, isAbsolute } from "node:path";
import { expandBraces } from "@toolwright/commands/targets";
import { isInside } from "../exec/confine-workdir.ts";
import { expandPattern, newPatternBudget } from "./expand-pattern.ts";
import { type FolderUse, findFolderUse, searchedNames, targetsOf } from "./folder-programs.ts";
import { holdTree, newTreeBudget } from "./hold-tree.ts";
import type { FileMarker } from "./mark-entry.ts";
import { compileName, hasWildcard, withoutEscapes } from "./name-pattern.ts";
import { lastPart, type ShellCommand, type ShellWord } from "./shell-commands.ts";

const tooManyNames =
  "What the patterns of this command stand for is too many files to hold still until somebody answers. Name fewer, or allow the command by a rule of the policy.";
const tooLarge = (folder: string) =>
  `The folder ${JSON.stringify(folder)} holds too many files to hold still until somebody answers. Name a smaller part of it, or allow the command by a rule of the policy.`;
export const computedFolder =
  "What this command runs or touches depends on a folder or file whose name is only known while it runs (a variable, substitution, wildcard, ~ or -), so a yes to it would say nothing. Write out the folder, relative to the workspace, and make the call again.";

/** Folders that the commands of one line may run in. */
const maxBases = 32;
/** A shell that matches otherwise than bash does by default, or a line that says so. */
const otherMatching = /^(?:zsh|fish|t?csh|ksh\w*|mksh|shopt|setopt|globstar|dotglob|nocaseglob|extglob|GLOBIGNORE=.*|BASHOPTS=.*|-O)$/;

interface ContentsRoot {
  /** Real path of the workspace. */
  readonly root: string;
  readonly files: FileMarker;
  /** Holds one path, as if the line named it. */
  readonly add: (path: string) => Promise<void>;
}

/** What the words of a line stand for beyond their text: the names that patterns match, and what lies in folders that are taken as a whole. */
export class Contents {
  /** Marks by absolute path, of what lies below folders. */
  readonly held = new Map<string, string>();
  unsettled: string | undefined;
  readonly #place: ContentsRoot;
  readonly #patterns = newPatternBudget();
  readonly #trees = newTreeBudget();
  readonly #walked = new Set<string>();
  #bases: Set<string>;
  #isComputed = false;
  #isGenerous = false;

  constructor(place: ContentsRoot) {
    this.#place = place;
    this.#bases = new Set();
  }

  /** `onlyPatterns`: a line that another file holds; what its programs do with folders is for who reads that file. */
  async read(
    commands: readonly ShellCommand[],
    { folder, onlyPatterns = false }: { folder: string; onlyPatterns?: boolean },
  ): Promise<void> {
    this.#bases = new Set([folder]);
    this.#isComputed = false;
    this.#isGenerous = commands.some((words) => words.some(({ text }) => otherMatching.test(lastPart(text))));
    // Twice: a loop comes back to commands that stand before the folder that it enters.
    for (const command of commands) await this.#enter(command);
    for (const command of commands) await this.#enter(command);
    for (const command of commands) {
      const bases = await this.#basesOf(command);
      const paths: (readonly string[])[] = [];
      for (const word of command) paths.push(await this.#expand(word, bases));
      const use = onlyPatterns ? undefined : findFolderUse(command);
      if (use && isGivenLater(command)) for (const word of commands.flat()) paths.push(await this.#expand(word, bases));
      if (use) await this.#hold(command, use, { paths, bases });
      if (this.#isComputed && (use || command.some(({ pattern }) => pattern !== undefined))) this.unsettled ??= computedFolder;
    }
  }

  async #enter(command: ShellCommand): Promise<void> {
    const at = command.findIndex(({ text }) => /^(?:cd|pushd|popd|chdir)$/.test(text));
    if (at === -1) return;
    const target = command.slice(at + 1).find(({ text, redirect }) => !redirect && !/^-[LPe@-]+$/.test(text));
    if (command[at]?.text === "popd" || !target || isComputedName(target)) this.#isComputed = true;
    else await this.#addBases(target.text, this.#bases);
  }

  async #addBases(text: string, from: ReadonlySet<string>, to = from as Set<string>): Promise<void> {
    for (const base of [...from]) {
      const real = await this.#folderAt(resolveFrom(base, text));
      if (real === undefined) continue;
      if (to.size >= maxBases && !to.has(real)) this.unsettled ??= computedFolder;
      else to.add(real);
    }
  }

  /** `tar -C sub .` runs there, whatever the line was in. */
  async #basesOf(command: ShellCommand): Promise<ReadonlySet<string>> {
    const texts = command.flatMap(({ text }, index) => {
      if (/^(?:-C|--directory)$/.test(text)) return command[index + 1]?.text ?? [];
      return /^(?:-C|--directory=)(.+)$/.exec(text)?.[1] ?? [];
    });
    if (texts.length === 0) return this.#bases;
    const bases = new Set<string>();
    for (const text of texts) await this.#addBases(text, this.#bases, bases);
    return bases.size > 0 ? bases : this.#bases;
  }

  async #folderAt(path: string): Promise<string | undefined> {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !isInside(this.#place.root, real)) return undefined;
    return (await stat(real).catch(() => undefined))?.isDirectory() ? real : undefined;
  }

  /** The paths that a word stands for now; those that come of a pattern are held. */
  async #expand({ text, pattern }: ShellWord, bases: ReadonlySet<string>): Promise<readonly string[]> {
    const value = /^-{0,2}[\w-]+=(.+)$/.exec(text)?.[1];
    const plain = [text, ...(value === undefined ? [] : [value])];
    if (pattern === undefined) return [...bases].flatMap((base) => plain.map((each) => resolveFrom(base, each)));
    const words = expandBraces(pattern);
    const paths: string[] = [];
    for (const base of bases) {
      for (const word of words ?? []) {
        const found = hasWildcard(word) ? await this.#match(word, base) : [resolveFrom(base, withoutEscapes(word))];
        for (const path of found ?? []) await this.#place.add(path);
        paths.push(...(found ?? []));
        if (!found) this.unsettled ??= tooManyNames;
      }
    }
    if (!words) this.unsettled ??= tooManyNames;
    return paths;
  }

  #match(word: string, base: string): Promise<readonly string[] | undefined> {
    return expandPattern(word, { root: this.#place.root, base, budget: this.#patterns, generous: this.#isGenerous });
  }

  async #hold(
    command: ShellCommand,
    use: FolderUse,
    { paths, bases }: { readonly paths: readonly (readonly string[])[]; readonly bases: ReadonlySet<string> },
  ): Promise<void> {
    const targets = targetsOf(command, use);
    const operands = paths.flatMap((found, index) =>
      index <= use.at || command[index]?.redirect === true || targets.has(index) ? [] : found,
    );
    const takesOwn = use.takesOwn?.some((word) => command.some(({ text }) => text === word)) === true;
    const names = searchedNames(command, use)?.map((name) => compileName(name, { generous: true }));
    const matches = names && ((name: string) => names.some((fits) => fits(name)));
    const found = new Set<string>();
    for (const path of use.takesOwn ? [] : operands) {
      const real = await this.#folderAt(path.replace(/\/\.\.\.$/, ""));
      if (real !== undefined && !(use.runs && bases.has(real))) found.add(real);
    }
    if (takesOwn || (use.searches && found.size === 0)) for (const base of bases) found.add(base);
    for (const folder of found) await this.#walk(folder, { matches, namesSuffice: use.namesSuffice === true });
    for (const index of targets) await this.#holdTargets(paths[index] ?? [], operands);
  }

  async #walk(folder: string, { matches, namesSuffice }: { matches: ((name: string) => boolean) | undefined; namesSuffice: boolean }) {
    if (this.#walked.has(folder)) return;
    if (!matches) this.#walked.add(folder);
    const { root, files } = this.#place;
    const tree = await holdTree(folder, { root, files, budget: this.#trees, namesSuffice, matches });
    if (!tree) this.unsettled ??= tooLarge(folder === root ? "." : folder.slice(root.length + 1));
    for (const [path, mark] of tree ?? []) this.held.set(`${folder}/${path}`, mark);
  }

  /** What is copied into a folder gets its own name there, and takes the place of what has it, or goes where a link of that name leads. */
  async #holdTargets(targets: readonly string[], operands: readonly string[]): Promise<void> {
    for (const target of targets) {
      const folder = await this.#folderAt(target);
      if (folder !== undefined) for (const operand of operands) await this.#place.add(`${folder}/${basename(operand)}`);
    }
  }
}

/** Words that only the run knows: they may be any that the line holds elsewhere (`for f in a b; do cp -r $f c; done`). */
const isGivenLater = (command: ShellCommand) =>
  command.some(({ text, computed }) => computed || text.includes("{}") || /^(?:xargs|parallel)$/.test(lastPart(text)));

const isComputedName = ({ text, pattern, computed }: ShellWord) => computed || pattern !== undefined || /^~|^-$/.test(text) || text === "";

function resolveFrom(base: string, text: string): string {
  return isAbsolute(text) ? text : `${base}/${text}`;
}
