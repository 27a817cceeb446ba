import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { type CommandSpec, digest, type Fingerprint, type Json } from "@toolwright/engine";
import { confineWorkdir, isInside } from "./confine-workdir.ts";
import { candidatesIn, findImplicit, findUnsettled, maxMembers, memberFolders, placesToLook, wordsOfScripts } from "./implicit-files.ts";
import { wordsOf } from "./words-of-command.ts";

/** Files whose content counts; of further ones it is their size and times. */
const maxFiles = 32;
const maxFileBytes = 8 * 1024 * 1024;
/** Folders that the words of a line may start from: where it runs, and those it names (`cd build && ./run`). */
const maxFolders = 32;
/** Paths that are looked up for one line: a few seconds on a busy machine. */
const maxLookups = 20_000;
const tooLong =
  "The command has too many words to hold what they name still. Put its text into a file first, or split it into several calls.";
/** Digits of a part's mark: it tells parts apart for people, the digest of all decides. */
const markLength = 16;
const tooManyFolders = `The command names more than ${maxFolders} folders, too many to hold what it runs still. Split it into several calls.`;
const tooManyPackages = `The command runs a script of one of more than ${maxMembers} packages, too many to hold still, so a yes to it would say nothing. Allow it by a rule of the policy.`;
const unreadable = "The files that this command runs could not be read, so a yes to it would say nothing. Try again.";

/**
 * What a command line stands for on this machine now: the real folder it runs in, of each word that names something in the workspace
 * its real path and content, and the files that its programs run or obey without being named (`implicitCode`). Words are taken from the text
 * alone, so it covers more than programs and scripts. Programs found by PATH are not looked up: PATH never holds the workspace. What those
 * files name in turn is not followed, but for the scripts of a package.json. Never rejects: without a workspace or folder it is "missing", and
 * what cannot be read is unsettled.
 */
export async function fingerprintCommand(
  workspaceOf: () => string,
  { command, workdir }: Pick<CommandSpec, "command" | "workdir">,
): Promise<Fingerprint> {
  const surroundings = await enterFolder(workspaceOf, workdir).catch(() => undefined);
  if (!surroundings) return { digest: "missing" };
  return surroundings.read(command).catch(() => ({ digest: "unreadable", unsettled: unreadable }));
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
  readonly #contents = new Map<string, string>();
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

  async read(command: string): Promise<Fingerprint> {
    const words = wordsOf(command);
    await this.#addWords(words);
    if (this.#hasMoreFolders) this.#unsettled = tooManyFolders;
    if (await this.#addImplicit(words)) this.#unsettled ??= findUnsettled(command);
    const unsettled = this.#unsettled;
    const named = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1));
    return {
      digest: digest({ folder: this.#folder, files: named }),
      parts: named.flatMap(([path, mark]) =>
        Array.isArray(mark) && mark[1] !== "folder" ? [[this.#show(path), digest(mark).slice(0, markLength)] as const] : [],
      ),
      ...(unsettled !== undefined && { unsettled }),
    };
  }

  /** True when there are programs that read more than the line names. */
  async #addImplicit(words: ReadonlySet<string>): Promise<boolean> {
    let all: ReadonlySet<string> = words;
    let programs = findImplicit(all);
    if (programs.length === 0) return false;
    if (programs.some(({ scripts }) => scripts)) {
      const places = placesToLook(this.#root, this.#folders);
      for (const place of places) await this.#addMembers(place);
      const inner = await wordsOfScripts(places);
      await this.#addWords(inner);
      all = new Set([...words, ...inner]);
      programs = findImplicit(all);
    }
    for (const place of placesToLook(this.#root, this.#folders))
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

  async #add(path: string): Promise<void> {
    if (this.#tried.has(path)) return;
    if (this.#tried.size >= maxLookups) {
      this.#unsettled = tooLong;
      return;
    }
    this.#tried.add(path);
    const [root, contents] = [this.#root, this.#contents];
    const real = isInside(root, path) || isInside(this.#workspace, path) ? await realpath(path).catch(() => undefined) : undefined;
    if (real === undefined) return;
    const content = contents.get(real) ?? (await fingerprintEntry(root, real, contents.size < maxFiles));
    if (content === "folder") this.#enter(real);
    else if (content !== "outside") contents.set(real, content);
    this.#named.set(path, [real, content]);
  }

  #enter(folder: string): void {
    if (this.#folders.size < maxFolders) this.#folders.add(folder);
    else this.#hasMoreFolders ||= !this.#folders.has(folder);
  }

  #show(path: string): string {
    return relative(isInside(this.#root, path) ? this.#root : this.#workspace, path) || ".";
  }
}

async function fingerprintEntry(root: string, real: string, withContent: boolean): Promise<string> {
  if (!isInside(root, real)) return "outside";
  const entry = await stat(real, { bigint: true }).catch(() => undefined);
  if (!entry) return "gone";
  if (entry.isDirectory()) return "folder";
  const outline = [entry.mode, entry.ino, entry.size, entry.mtimeNs, entry.ctimeNs].join(" ");
  if (!entry.isFile() || entry.size > maxFileBytes || !withContent) return outline;
  return hashFile(real).catch(() => outline);
}

async function hashFile(path: string): Promise<string> {
  // A link or a pipe may have taken the file's place: the one is not followed, the other not waited for.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    return await hashContent(file);
  } finally {
    await file.close();
  }
}

async function hashContent(file: FileHandle): Promise<string> {
  if (!(await file.stat()).isFile()) throw new TypeError("It is no file any more.");
  const hash = createHash("sha256");
  // The limit also holds for a file that grows while it is read.
  for await (const chunk of file.createReadStream({ start: 0, end: maxFileBytes, autoClose: false })) hash.update(chunk);
  return hash.digest("hex");
}
