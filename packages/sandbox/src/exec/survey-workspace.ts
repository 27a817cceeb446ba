import { type BigIntStats, type Dirent, lstatSync, readdirSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join } from "node:path";

/** Of one entry of a folder: a word for what it is, which `Survey.found` repeats, or undefined for what does not matter. */
export type Classify<Kind extends string> = (entry: {
  readonly name: string;
  /** Workspace-relative; "" for the workspace itself. */
  readonly folder: string;
  readonly type: "file" | "folder" | "link" | "other";
  /** Names of all entries of the same folder. */
  readonly siblings: ReadonlySet<string>;
}) => Kind | undefined;

export interface Found<Kind extends string> {
  /** Workspace-relative. */
  readonly path: string;
  readonly kind: Kind;
  readonly type: "file" | "folder" | "link" | "other";
}

export interface Survey<Kind extends string> {
  /** Real path of the workspace. */
  readonly root: string;
  /** By `performance.now()`: nothing that was done later is surely part of it. */
  readonly begunAt: number;
  readonly found: readonly Found<Kind>[];
  /** False when the workspace has more folders than are looked at. */
  readonly isComplete: boolean;
}

interface KnownFolder<Kind extends string> {
  readonly mark: string;
  readonly found: readonly Found<Kind>[];
  readonly folders: readonly string[];
}

/** Nanoseconds: a folder that changed so recently may change again within the same tick of the file system's clock. */
const freshNs = 50_000_000n;
/** Milliseconds of looking before others get their turn. */
const sliceMs = 4;

/**
 * Finds what matters below a workspace, at every depth, without following links. A folder is read again only when its times changed.
 * Folders named `.git` are not entered. Each workspace wants a surveyor of its own.
 */
export class WorkspaceSurveyor<Kind extends string> {
  readonly #workspace: string;
  readonly #classify: Classify<Kind>;
  readonly #maxFolders: number;
  #known = new Map<string, KnownFolder<Kind>>();

  constructor(workspace: string, classify: Classify<Kind>, maxFolders = 200_000) {
    this.#workspace = workspace;
    this.#classify = classify;
    this.#maxFolders = maxFolders;
  }

  async survey(): Promise<Survey<Kind>> {
    const begunAt = performance.now();
    const root = await realpath(this.#workspace);
    const seen = new Map<string, KnownFolder<Kind>>();
    const found: Found<Kind>[] = [];
    const waiting = [""];
    let sliceEnd = performance.now() + sliceMs;
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      if (seen.size >= this.#maxFolders) break;
      const looked = this.#look(root, folder);
      if (looked === undefined) continue;
      seen.set(folder, looked);
      found.push(...looked.found);
      waiting.push(...looked.folders);
      if (performance.now() < sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      sliceEnd = performance.now() + sliceMs;
    }
    this.#known = seen;
    return { root, begunAt, found: found.sort((a, b) => (a.path < b.path ? -1 : 1)), isComplete: waiting.length === 0 };
  }

  /** Undefined for a folder that is gone or cannot be read: a run of the same user cannot read it either. */
  #look(root: string, folder: string): KnownFolder<Kind> | undefined {
    const path = join(root, folder);
    try {
      const stats = lstatSync(path, { bigint: true });
      if (!stats.isDirectory()) return undefined;
      const known = this.#known.get(folder);
      const mark = markOf(stats);
      if (known?.mark === mark) return known;
      const isSettled = BigInt(Date.now()) * 1_000_000n - stats.ctimeNs > freshNs;
      return { mark: isSettled ? mark : "", ...this.#read(path, folder) };
    } catch {
      return undefined;
    }
  }

  #read(path: string, folder: string): Omit<KnownFolder<Kind>, "mark"> {
    const entries = readEntries(path);
    const siblings = new Set(entries.map(({ name }) => name));
    const found: Found<Kind>[] = [];
    const folders: string[] = [];
    for (const entry of entries) {
      const [own, type] = [folder === "" ? entry.name : `${folder}/${entry.name}`, typeOf(entry)];
      const kind = this.#classify({ name: entry.name, folder, type, siblings });
      if (kind !== undefined) found.push({ path: own, kind, type });
      if (type === "folder" && entry.name !== ".git") folders.push(own);
    }
    return { found, folders };
  }
}

/** What git looks for. In a folder that can be entered but not listed, programs still find what they know by name. */
const soughtNames = [".git", "HEAD", "objects", "refs", "commondir"];

function readEntries(path: string): Pick<Dirent, "name" | "isSymbolicLink" | "isDirectory" | "isFile">[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    return soughtNames.flatMap((name) => {
      const stats = lstatSync(join(path, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : Object.assign(stats, { name });
    });
  }
}

const markOf = ({ dev, ino, ctimeNs, mtimeNs }: BigIntStats) => `${dev} ${ino} ${ctimeNs} ${mtimeNs}`;

function typeOf(entry: Pick<Dirent, "isSymbolicLink" | "isDirectory" | "isFile">): Found<string>["type"] {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}
