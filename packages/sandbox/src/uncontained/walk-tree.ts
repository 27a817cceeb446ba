import { type Dirent, lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { TreeWalk } from "@toolwright/commands";
import { expandBraces } from "@toolwright/commands/targets";
import { realPathOf } from "../binding/find-landing.ts";
import { compileName } from "../binding/name-pattern.ts";
import { createTurns } from "../binding/take-turns.ts";
import { secretsInConfiguration } from "../credentials/secret-values.ts";
import { isInside } from "../exec/confine-workdir.ts";
import { readIndex } from "../repository/read-index.ts";
import { readInside } from "../repository/read-inside.ts";
import { readRepository } from "../repository/read-repository.ts";
import type { Findings } from "./findings.ts";

/** Entries that all walks of one call may look at. */
interface WalkBudget {
  entries: number;
}

export const newWalkBudget = (): WalkBudget => ({ entries: 200_000 });

const tooMany = (folder: string) =>
  `${JSON.stringify(folder)} holds more files than are looked through, so what it would print of them is not known.`;

interface Hit {
  readonly path: string;
  readonly kind: "outside" | "credential";
}

/** Looks through a folder as the program would, and adds what it would meet. */
export async function walkTree(folder: string, walk: Omit<TreeWalk, "roots">, found: Findings, budget: WalkBudget): Promise<void> {
  const hits = await new Walk(walk, found, budget).run(folder);
  const kept = walk.tracked ? onlyTracked(hits, found.root) : hits;
  for (const { path, kind } of kept) kind === "outside" ? found.addOutside(path) : found.addCredential(path);
}

class Walk {
  readonly #walk: Omit<TreeWalk, "roots">;
  readonly #found: Findings;
  readonly #budget: WalkBudget;
  readonly #chosen: (name: string) => boolean;
  readonly #left: (name: string) => boolean;
  readonly #leftFolder: (name: string) => boolean;
  /** Parts of the path that the walk begins at: what leaves that out is not asked. */
  #depth = 0;
  readonly #seen = new Set<string>();
  readonly #hits: Hit[] = [];

  constructor(walk: Omit<TreeWalk, "roots">, found: Findings, budget: WalkBudget) {
    this.#walk = walk;
    this.#found = found;
    this.#budget = budget;
    this.#chosen = walk.only.length === 0 ? () => true : compileChosen(walk.only);
    this.#left = compileLeft(walk.except);
    this.#leftFolder = compileLeft(walk.exceptFolders);
  }

  async run(start: string): Promise<readonly Hit[]> {
    const turn = createTurns();
    this.#depth = relative(this.#found.root, start).split("/").filter(Boolean).length;
    const waiting = [start];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (this.#seen.has(folder)) continue;
      this.#seen.add(folder);
      for (const entry of readEntries(folder)) {
        await turn();
        if (--this.#budget.entries < 0) {
          this.#found.addUnknown(tooMany(relative(this.#found.root, start) || "."));
          return this.#hits;
        }
        waiting.push(...this.#meet(folder, entry));
      }
    }
    return this.#hits;
  }

  /** Folders to enter. */
  #meet(folder: string, entry: Dirent): readonly string[] {
    const { name } = entry;
    const path = join(folder, name);
    if (name.startsWith(".") && !this.#walk.hidden) return [];
    if (entry.isSymbolicLink()) return this.#meetLink(path);
    if (entry.isDirectory()) return this.#leftFolder(name) || this.#isIgnored(path) || this.#isOfGit(path) ? [] : [path];
    this.#meetFile(path, path);
    return [];
  }

  #meetLink(path: string): readonly string[] {
    const { follows, listsLinks, reads } = this.#walk;
    if (!follows && !(listsLinks && reads === "content")) return [];
    const real = realPathOf(path);
    if (real === undefined) return [];
    const isFolder = statSync(real, { throwIfNoEntry: false })?.isDirectory() === true;
    if (!isInside(this.#found.root, real)) {
      if (isFolder ? follows : reads === "content" && this.#chosen(basename(path))) this.#hits.push({ path, kind: "outside" });
      return [];
    }
    if (isFolder) return follows && !this.#leftFolder(basename(path)) ? [real] : [];
    this.#meetFile(path, real);
    return [];
  }

  #meetFile(path: string, real: string): void {
    const name = basename(path);
    if (this.#walk.reads === "names" || !this.#chosen(name) || this.#left(name) || this.#isIgnored(path)) return;
    if (this.#found.isCredential(relative(this.#found.root, real)) || this.#isSettings(real)) this.#hits.push({ path, kind: "credential" });
    else if (!/\/node_modules\//.test(path) && (lstatSync(real, { throwIfNoEntry: false })?.nlink ?? 1) > 1)
      this.#hits.push({ path, kind: "outside" });
  }

  /** Git's own files: what it tracks is never among them, and its objects are no text. */
  #isOfGit(path: string): boolean {
    const inside = /(?:^|\/)\.git(?:\/(?:.*\/)?(objects|lfs))?$/.exec(relative(this.#found.root, path));
    return inside !== null && (inside[1] !== undefined || this.#walk.reads === "names" || this.#walk.tracked);
  }

  /** Settings of a repository, or of one inside it, may hold tokens as text. */
  #isSettings(real: string): boolean {
    const place = relative(this.#found.root, real);
    return /(?:^|\/)\.git\/(?:.*\/)?config(?:\.worktree)?$/.test(place) && holdsSecrets(this.#found.root, place);
  }

  #isIgnored(path: string): boolean {
    return this.#walk.ignores && isIgnored(this.#found.root, relative(this.#found.root, path), this.#depth);
  }
}

const maxSettingsBytes = 256 * 1024;

/** True when a repository's settings hold tokens, as in the addresses of remotes. */
export function holdsSecrets(root: string, settings: string): boolean {
  const found = readInside(root, settings, maxSettingsBytes);
  return found.kind === "strange" || (found.kind === "file" && secretsInConfiguration(found.bytes.toString()).length > 0);
}

/** By the last part of each pattern. One that is not understood chooses every name. */
function compileChosen(patterns: readonly string[]): (name: string) => boolean {
  const names = patterns.flatMap((pattern) => expandBraces(pattern.replace(/\/$/, "")) ?? [""]);
  const tests = names.map((pattern) => {
    const last = pattern.slice(pattern.lastIndexOf("/") + 1);
    return last === "" ? () => true : compileName(last, { generous: true });
  });
  return (name) => tests.some((test) => test(name));
}

/** Plain names with at most one `*`, which every program reads alike. Another pattern leaves out nothing. */
function compileLeft(patterns: readonly string[]): (name: string) => boolean {
  const plain = patterns
    .map((pattern) => pattern.split("*"))
    .filter((parts) => parts.length <= 2 && parts.every((part) => /^[\w.@+-]*$/.test(part)));
  return (name) =>
    plain.some(([start = "", end]) =>
      end === undefined ? name === start : name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end),
    );
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/**
 * True where the `.gitignore` files of a repository surely leave a path out: a line is its name, `*.ending` or `beginning*`, and no line of any file on
 * the way takes something back in. The first parts, which the program is pointed at, are not asked.
 */
function isIgnored(root: string, place: string, first: number): boolean {
  const parts = place.split("/");
  const folders = parts.map((_, depth) => parts.slice(0, depth).join("/"));
  if (!folders.some((folder) => lstatSync(join(root, folder, ".git"), { throwIfNoEntry: false }))) return false;
  const files = folders.map((folder) => [".gitignore", ".ignore", ".rgignore"].map((name) => linesOf(join(root, folder, name))));
  if (files.flat(2).some((line) => line.startsWith("!"))) return false;
  return files.some(([lines = []], depth) =>
    lines.some((line) =>
      parts
        .slice(depth)
        .some(
          (name, below) =>
            depth + below >= first && leavesOut(line, name, { isFirst: below === 0, isLast: depth + below === parts.length - 1 }),
        ),
    ),
  );
}

function leavesOut(line: string, name: string, { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean }): boolean {
  if (line.endsWith("/") && isLast) return false;
  if (line.startsWith("/") && !isFirst) return false;
  const text = line.replace(/^\//, "").replace(/\/$/, "");
  if (text === "" || /[\\[\]?/]/.test(text) || text.startsWith("#")) return false;
  if (!text.includes("*")) return name === text;
  const [start = "", end = "", ...more] = text.split("*");
  return more.length === 0 && (start === "" || end === "") && name.startsWith(start) && name.endsWith(end);
}

function linesOf(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8")
      .split(/\r?\n/)
      .map((line) => line.trimEnd());
  } catch {
    return [];
  }
}

/** Those that git has in the index of the repository around them; all of them where it cannot be read. */
function onlyTracked(hits: readonly Hit[], root: string): readonly Hit[] {
  return hits.filter(({ path }) => {
    const place = relative(root, path);
    const parts = place.split("/");
    for (let depth = parts.length - 1; depth >= 0; depth--) {
      const folder = parts.slice(0, depth).join("/");
      if (!lstatSync(join(root, folder, ".git"), { throwIfNoEntry: false })) continue;
      const { gitFolder } = readRepository(root, folder);
      const own = parts.slice(depth).join("/");
      const entries = gitFolder === undefined ? undefined : readIndex(root, gitFolder, { hash: "sha1", wants: (each) => each === own });
      return entries === undefined || entries.length > 0;
    }
    return true;
  });
}
