import { realpath } from "node:fs/promises";
import { isAbsolute, join, normalize, relative } from "node:path";
import type { Json } from "@toolwright/engine";
import { type CommandSpec, digest, type Fingerprint } from "@toolwright/engine/ports";
import { findLanding, realPathOf } from "../binding/find-landing.ts";
import { Contents } from "../binding/hold-contents.ts";
import { FileMarker } from "../binding/mark-entry.ts";
import { resolvePrograms } from "../binding/resolve-programs.ts";
import { commandsOf } from "../binding/shell-commands.ts";
import { summariseParts } from "../binding/summarise-parts.ts";
import { createTurns } from "../binding/take-turns.ts";
import { confineWorkdir, isInside } from "./confine-workdir.ts";
import {
  candidatesIn,
  findImplicit,
  findUnsettled,
  foldersToLook,
  maxMembers,
  memberFolders,
  scriptsOf,
  wordsOfScripts,
} from "./implicit-files.ts";
import { wordsOf } from "./words-of-command.ts";

/** Folders that the words of a line may start from: where it runs, and those it names (`cd build && ./run`). */
const maxFolders = 32;
/** Paths that are looked up for one line: a few seconds on a busy machine. */
const maxLookups = 20_000;
const tooLong =
  "The command has too many words to hold what they name still. Put its text into a file first, or split it into several calls.";
const tooManyFolders = `The command names more than ${maxFolders} folders, too many to hold what it runs still. Split it into several calls.`;
const tooManyPackages = `The command runs a script of one of more than ${maxMembers} packages, too many to hold still, so a yes to it would say nothing. Allow it by a rule of the policy.`;
const unreadable = "The files that this command runs could not be read, so a yes to it would say nothing. Try again.";

/**
 * What a command line stands for on this machine now: the real folder it runs in, of each word that names something in the workspace
 * its real path and content, the programs of the system that it starts, of each word that names nothing where it would come to lie, what its patterns match and what lies in folders that it
 * copies, packs, deletes or runs (`Contents`), and the files that its programs run or obey without being named (`implicitCode`). Words are
 * taken from the text alone, so it covers more than programs and scripts. What those files name in turn is not followed, but for the scripts
 * of a package.json. Never rejects: without a workspace or folder it is "missing", and what cannot be read is unsettled.
 */
export async function fingerprintCommand(
  workspaceOf: () => string,
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
  { inImage = false }: { readonly inImage?: boolean } = {},
): Promise<Fingerprint> {
  const surroundings = await enterFolder(workspaceOf, workdir).catch(() => undefined);
  if (!surroundings) return { digest: "missing" };
  return surroundings.read(command, inImage).catch(() => ({ digest: "unreadable", unsettled: unreadable }));
}

async function enterFolder(workspaceOf: () => string, workdir: CommandSpec["workdir"]): Promise<Surroundings> {
  const workspace = workspaceOf();
  const root = await realpath(workspace);
  return new Surroundings([root, workspace], join(root, await confineWorkdir(workspace, workdir)));
}

/** What a line is surrounded by: the folders that it may work in, and the files that count. */
class Surroundings {
  readonly #root: string;
  readonly #workspace: string;
  readonly #folder: string;
  readonly #folders: Set<string>;
  readonly #files = new FileMarker();
  readonly #turn = createTurns();
  readonly #named = new Map<string, Json>();
  readonly #tried = new Set<string>();
  #hasMoreFolders = false;
  #unsettled: string | undefined;

  constructor([root, workspace]: readonly [root: string, workspace: string], folder: string) {
    this.#root = root;
    this.#workspace = workspace;
    this.#folder = folder;
    this.#folders = new Set([folder]);
  }

  async read(command: string, inImage: boolean): Promise<Fingerprint> {
    const words = wordsOf(command);
    await this.#addWords(words);
    if (this.#hasMoreFolders) this.#unsettled = tooManyFolders;
    if (await this.#addImplicit(words)) this.#unsettled ??= findUnsettled(command);
    const contents = new Contents({ root: this.#root, files: this.#files, add: (path) => this.#add(path, { enters: false }) });
    const commands = commandsOf(command);
    await contents.read(commands, { folder: this.#folder });
    for (const [folder, script] of await scriptsOf(foldersToLook(this.#root, this.#folders), words))
      await contents.read(commandsOf(script), { folder, onlyPatterns: true });
    const unsettled = this.#unsettled ?? contents.unsettled;
    // Programs of an image are not here to be looked for.
    const programs = inImage ? undefined : resolvePrograms(commands, this.#folder);
    const ofSystem = (programs ?? []).flatMap(({ word, path }) =>
      path === undefined || word.includes("/") ? [] : [[word, path] as const],
    );
    const named = [...this.#named, ...contents.held].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      digest: digest({ folder: this.#folder, files: named, programs: ofSystem }),
      parts: summariseParts([
        ...named.flatMap(([path, mark]) => (isPlainFolder(path, mark) ? [] : [[this.#show(path), mark] as const])),
        ...ofSystem,
      ]),
      standsFor: { folder: this.#folder, ...(programs && { programs }) },
      ...(unsettled !== undefined && { unsettled }),
    };
  }

  /** True when there are programs that read more than the line names. */
  async #addImplicit(words: ReadonlySet<string>): Promise<boolean> {
    let all: ReadonlySet<string> = words;
    let programs = findImplicit(all);
    if (programs.length === 0) return false;
    if (programs.some(({ scripts }) => scripts)) {
      const places = foldersToLook(this.#root, this.#folders);
      for (const place of places) await this.#addMembers(place);
      const inner = await wordsOfScripts(places);
      await this.#addWords(inner);
      all = new Set([...words, ...inner]);
      programs = findImplicit(all);
    }
    for (const place of foldersToLook(this.#root, this.#folders))
      for (const path of await candidatesIn(place, programs, all)) await this.#add(path);
    return true;
  }

  async #addMembers(place: string): Promise<void> {
    const members = await memberFolders(place);
    if (members.length > maxMembers) this.#unsettled = tooManyPackages;
    else for (const member of members) await this.#add(join(member, "package.json"));
  }

  async #addWords(words: Iterable<string>): Promise<void> {
    const before = this.#folders.size;
    for (const word of words)
      for (const path of isAbsolute(word) ? [word] : [...this.#folders].map((base) => `${base}/${word}`)) await this.#add(path);
    // A loop comes back to words that stand before the folder that it enters.
    if (this.#folders.size > before) await this.#addWords(words);
  }

  async #add(path: string, { enters } = { enters: true }): Promise<void> {
    if (this.#tried.has(path)) return;
    if (this.#tried.size >= maxLookups) {
      this.#unsettled = tooLong;
      return;
    }
    this.#tried.add(path);
    if (!isInside(this.#root, path) && !isInside(this.#workspace, path)) return;
    await this.#turn();
    const real = realPathOf(path);
    if (real === undefined) return this.#addMissing(path);
    const content = isInside(this.#root, real) ? this.#files.mark(real) : "outside";
    if (content === "folder" && enters) this.#enter(real);
    this.#named.set(path, [real, content]);
  }

  /** What is not there yet counts by where it would come to lie, when a link on the way makes that another place than its path says. */
  #addMissing(path: string): void {
    const landing = findLanding(path);
    if (landing !== normalize(path)) this.#named.set(path, ["missing", landing]);
  }

  #enter(folder: string): void {
    if (this.#folders.size < maxFolders) this.#folders.add(folder);
    else this.#hasMoreFolders ||= !this.#folders.has(folder);
  }

  #show(path: string): string {
    return relative(isInside(this.#root, path) ? this.#root : this.#workspace, path) || ".";
  }
}

/** Under its own name: it is where things lie, and nothing that a person looks at. */
function isPlainFolder(path: string, mark: Json): boolean {
  return Array.isArray(mark) && mark[1] === "folder" && mark[0] === normalize(path);
}
