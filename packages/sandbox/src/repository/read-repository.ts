import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { parseConfiguration, type Setting } from "./parse-configuration.ts";
import { listInside, readInside } from "./read-inside.ts";

/** A setting, and the file that holds it, relative to the workspace. */
export interface FileSetting {
  readonly file: string;
  readonly setting: Setting;
}

/** What the configuration of one repository says, and what of it could not be read. */
export interface Repository {
  /** Folder of its work tree, relative to the workspace; "" for the workspace itself. */
  readonly folder: string;
  /** Folder of its index, relative to the workspace; undefined when that could not be found. */
  readonly gitFolder: string | undefined;
  readonly settings: readonly FileSetting[];
  /** Sentences; each names a file, and any of them means that git may do more than is known. */
  readonly problems: readonly string[];
}

const maxConfigurationBytes = 256 * 1024;
const maxPointerBytes = 4096;
/** Submodules and further work trees of one repository. */
const maxParts = 500;

/**
 * Reads all configuration that git obeys in a repository, its submodules and further work trees, without following links: what leads out of
 * the workspace, or is of a form that git might read differently, is a problem.
 * @param folder - relative to the workspace; `.git` is an entry of it.
 */
export function readRepository(root: string, folder: string): Repository {
  return new RepositoryReader(root, folder).read();
}

/** True when git certainly takes the folder for a repository and looks no further up: its `.git` is whole and belongs to the workspace's owner. */
export function isRepository(root: string, folder: string): boolean {
  const path = join(folder, ".git");
  const isFolder = (name: string) => readInside(root, join(path, name), 0).kind === "folder";
  const head = readInside(root, join(path, "HEAD"), maxPointerBytes);
  if (head.kind !== "file" || !/^(?:ref: refs\/[\w./-]+|[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(head.bytes.toString())) return false;
  const owner = lstatSync(root).uid;
  return (
    isFolder("objects") &&
    isFolder("refs") &&
    ["", "HEAD", "objects", "refs"].every((name) => lstatSync(join(root, path, name)).uid === owner)
  );
}

class RepositoryReader {
  readonly #root: string;
  readonly #folder: string;
  readonly #settings: FileSetting[] = [];
  readonly #problems: string[] = [];
  readonly #read = new Set<string>();

  constructor(root: string, folder: string) {
    this.#root = root;
    this.#folder = folder;
  }

  read(): Repository {
    const gitFolder = this.#findGitFolder();
    if (gitFolder !== undefined) this.#readGitFolder(gitFolder);
    return { folder: this.#folder, gitFolder, settings: this.#settings, problems: this.#problems };
  }

  #findGitFolder(): string | undefined {
    const entry = join(this.#folder, ".git");
    const found = readInside(this.#root, entry, maxPointerBytes);
    if (found.kind === "folder") return entry;
    if (found.kind === "missing") return undefined;
    const pointed = found.kind === "file" ? /^gitdir: ([^\n]+)\n*$/.exec(found.bytes.toString())?.[1] : undefined;
    if (pointed === undefined) {
      this.#problems.push(`${entry} is neither a folder nor a file that names one, so which repository git uses is not known`);
      return undefined;
    }
    return this.#follow(entry, pointed);
  }

  /** A path that a file of git names, relative to the workspace; undefined, and a problem, when it is elsewhere. */
  #follow(file: string, target: string): string | undefined {
    const path = relative(this.#root, isAbsolute(target) ? target : join(this.#root, dirname(file), target));
    if (path !== ".." && !path.startsWith("../") && !isAbsolute(path)) return path;
    this.#problems.push(`${file} leads out of the workspace, so what the repository's configuration says is not known`);
    return undefined;
  }

  #readGitFolder(folder: string, depth = 0): void {
    if (this.#read.has(folder)) return;
    if (this.#read.size >= maxParts || depth > 8) {
      this.#problems.push(`${folder} has more submodules than are looked at`);
      return;
    }
    this.#read.add(folder);
    this.#readConfiguration(join(folder, "config"));
    this.#readConfiguration(join(folder, "config.worktree"));
    this.#readCommon(folder, depth);
    for (const name of listInside(this.#root, join(folder, "worktrees"))) this.#readGitFolder(join(folder, "worktrees", name), depth + 1);
    this.#readModules(join(folder, "modules"), depth + 1);
  }

  #readCommon(folder: string, depth: number): void {
    const file = join(folder, "commondir");
    const found = readInside(this.#root, file, maxPointerBytes);
    if (found.kind === "missing") return;
    const target = found.kind === "file" ? found.bytes.toString().replace(/(?<!\n)\n+$/, "") : "";
    if (target === "" || /[\n\0]/.test(target))
      this.#problems.push(`${file} is no plain file, so which configuration git obeys is not known`);
    const common = target === "" ? undefined : this.#follow(file, target);
    if (common !== undefined) this.#readGitFolder(common, depth + 1);
  }

  /** A submodule may have a name with slashes: its folder is the one that holds HEAD. */
  #readModules(folder: string, depth: number): void {
    for (const name of listInside(this.#root, folder)) {
      const path = join(folder, name);
      const isOne = readInside(this.#root, join(path, "HEAD"), maxPointerBytes).kind !== "missing";
      if (isOne) this.#readGitFolder(path, depth);
      else if (depth <= 8) this.#readModules(path, depth + 1);
    }
  }

  #readConfiguration(file: string): void {
    const found = readInside(this.#root, file, maxConfigurationBytes);
    if (found.kind === "missing") return;
    const settings = found.kind === "file" ? parseConfiguration(found.bytes.toString()) : undefined;
    if (settings === undefined)
      this.#problems.push(`${file} is not of the plain form that git writes, so what git makes of it is not known`);
    for (const setting of settings ?? []) this.#settings.push({ file, setting });
  }
}
