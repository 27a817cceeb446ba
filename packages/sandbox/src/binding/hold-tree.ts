import { type BigIntStats, type Dirent, lstatSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "../exec/confine-workdir.ts";
import { realPathOf } from "./find-landing.ts";
import { type FileMarker, outlineOf } from "./mark-entry.ts";
import { createTurns } from "./take-turns.ts";

/** What all folders of one line may take together. */
interface TreeBudget {
  /** Entries of which more than the name is looked at. */
  entries: number;
  /** Entries of which the name counts. */
  names: number;
}

export const newTreeBudget = (): TreeBudget => ({ entries: 50_000, names: 500_000 });

export interface TreeOptions {
  /** Real path of the workspace. */
  readonly root: string;
  readonly files: FileMarker;
  readonly budget: TreeBudget;
  /** Beyond the budget of entries, names are enough: what is deleted is the same whatever it holds. */
  readonly namesSuffice: boolean;
  /** Undefined: all. */
  readonly matches?: ((name: string) => boolean) | undefined;
}

/** Marks by path, relative to the folder. Undefined when it is more than is looked at. */
export type Tree = ReadonlyMap<string, string>;

/** Many files that a package manager puts in place: looked at last, so that they use up nothing of what the others need. */
const bulky = new Set(["node_modules", ".venv", "venv", "vendor", "target"]);
/** Below `node_modules`: what tools write there while they work. */
const caches = new Set([".cache", ".vite", ".vite-temp"]);
/** Grows by itself, and no program obeys it. */
const growing = /\.log$/;

/**
 * What lies below a folder, links not followed: names, kinds, modes, where links lead to, and content as far as the budget goes. Git's own
 * metadata is passed over, which runs cannot write.
 */
export async function holdTree(folder: string, options: TreeOptions): Promise<Tree | undefined> {
  return new Walk(folder, options).run();
}

class Walk {
  readonly #folder: string;
  readonly #options: TreeOptions;
  readonly #marks = new Map<string, string>();
  readonly #waiting: string[] = [""];
  readonly #last: string[] = [];
  #entered = 0;

  constructor(folder: string, options: TreeOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async run(): Promise<Tree | undefined> {
    const turn = createTurns();
    for (let at = this.#next(); at; at = this.#next()) {
      const [path, isBulky] = at;
      if (!(await this.#enter(path, isBulky, turn))) return undefined;
    }
    return this.#marks;
  }

  #next(): readonly [path: string, isBulky: boolean] | undefined {
    // Near the top first: there lies what people know.
    const path = this.#waiting[this.#entered++];
    if (path !== undefined) return [path, false];
    const last = this.#last.pop();
    return last === undefined ? undefined : [last, true];
  }

  /** False when it is too much. */
  async #enter(path: string, isBulky: boolean, turn: () => Promise<void>): Promise<boolean> {
    for (const entry of readEntries(join(this.#folder, path))) {
      const { name } = entry;
      if (name === ".git" && entry.isDirectory()) continue;
      const below = path === "" ? name : `${path}/${name}`;
      if (entry.isDirectory()) {
        if (isBulky && caches.has(name)) continue;
        (isBulky || bulky.has(name) ? this.#last : this.#waiting).push(below);
      }
      if (this.#options.matches?.(name) === false) continue;
      await turn();
      const mark = this.#mark(below, entry, isBulky);
      if (mark === undefined) return false;
      this.#marks.set(below, mark);
    }
    return true;
  }

  #mark(path: string, entry: Dirent, isBulky: boolean): string | undefined {
    const { budget, namesSuffice } = this.#options;
    if (--budget.names < 0) return undefined;
    if (growing.test(entry.name) && entry.isFile()) return "log";
    if (--budget.entries >= 0) return this.#look(join(this.#folder, path), isBulky);
    return namesSuffice || isBulky ? kindOf(entry) : undefined;
  }

  #look(path: string, isBulky: boolean): string {
    const { files } = this.#options;
    const entry = lookAt(path);
    if (!entry) return "gone";
    if (entry.isDirectory()) return `folder ${entry.mode}`;
    if (entry.isSymbolicLink()) return `link ${this.#follow(path)}`;
    return isBulky ? outlineOf(entry) : files.markFile(path, entry);
  }

  /** Some programs copy what a link leads to, so that counts where it is a file of the workspace. */
  #follow(path: string): string {
    const { root, files } = this.#options;
    const real = realPathOf(path);
    const target = readTarget(path);
    return real !== undefined && isInside(root, real) ? `${target} ${real} ${files.mark(real)}` : target;
  }
}

function readEntries(path: string): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}

function lookAt(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

function readTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function kindOf(entry: Dirent): string {
  if (entry.isDirectory()) return "folder";
  if (entry.isSymbolicLink()) return "link";
  return entry.isFile() ? "file" : "other";
}
