import { type BigIntStats, type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { isCredentialPath } from "@toolwright/commands/targets";
import { isHarmlessContent } from "../credentials/harmless-content.ts";
import { secretsInConfiguration, secretValues } from "../credentials/secret-values.ts";
import { type Classify, classifyMetadata, type MetadataKind } from "../git-metadata/classify-metadata.ts";
import { listInside, readInside } from "../repository/read-inside.ts";
import { readRepository } from "../repository/read-repository.ts";
import { isInside } from "./confine-workdir.ts";

/** What stands in a workspace now that decides what a run may see and what git obeys. */
export interface WorkspaceView {
  /** Real path. */
  readonly root: string;
  /** Folders with an entry `.git`, relative to the workspace. */
  readonly repositories: readonly string[];
  readonly credentials: readonly Credential[];
  /** False when the workspace has more folders than are looked at. */
  readonly isComplete: boolean;
  /** What the view was made of. */
  readonly survey: WorkspaceSurvey;
}

/** Workspaces whose credentials are remembered. */
const maxRemembered = 16;

/** Looks at workspaces; what has not changed since the last look is not read again. */
export class WorkspaceViews {
  readonly #readers = new Map<string, CredentialReader>();

  /** Throws the system's error when there is no such folder. */
  async look(workspace: string): Promise<WorkspaceView> {
    const root = realpathSync(workspace);
    const reader = this.#remember(root);
    const survey = await surveyWorkspace(root);
    const credentials = outermost(survey.found.filter(({ kind }) => kind === "credential")).flatMap((entry) => locate(root, entry));
    return {
      root,
      repositories: survey.found.filter(({ path }) => basename(path) === ".git").map(({ path }) => folderOf(path)),
      credentials: reader.read(root, credentials),
      isComplete: survey.isComplete,
      survey,
    };
  }

  #remember(root: string): CredentialReader {
    const reader = this.#readers.get(root) ?? new CredentialReader();
    this.#readers.delete(root);
    this.#readers.set(root, reader);
    const [oldest] = this.#readers.keys();
    if (oldest !== undefined && this.#readers.size > maxRemembered) this.#readers.delete(oldest);
    return reader;
  }
}

/** Values that are kept out of one call's output: each costs time on every piece of it. */
const maxValues = 48;

/** What credential files hold that no output should, of the outermost files first. */
export function valuesOf({ credentials }: WorkspaceView): readonly string[] {
  const nearest = [...credentials].sort((a, b) => depthOf(a.path) - depthOf(b.path));
  return [...new Set(nearest.flatMap(({ values }) => values))].slice(0, maxValues);
}

const depthOf = (path: string) => path.split("/").length;

const maxRepositories = 64;

/** Tokens in the addresses that the repositories' configurations hold: git prints them as they are. */
export function valuesOfRemotes({ root, repositories }: WorkspaceView): readonly string[] {
  const settings = repositories.slice(0, maxRepositories).flatMap((folder) => readRepository(root, folder).settings);
  const values = settings.flatMap(({ setting: { name, subsection = "", value = "" } }) =>
    secretsInConfiguration(`${subsection}\n${name} = ${value}`),
  );
  return [...new Set(values)].slice(0, maxValues);
}

const folderOf = (path: string) => (path === ".git" ? "" : dirname(path));

/** A folder of credentials counts as a whole. */
function outermost(found: readonly Found<WorkspaceKind>[]): readonly Found<WorkspaceKind>[] {
  const folders = new Set(found.flatMap(({ path, type }) => (type === "folder" ? [path] : [])));
  return found.filter(({ path }) => {
    for (let above = dirname(path); above !== "."; above = dirname(above)) if (folders.has(above)) return false;
    return true;
  });
}

/** A link is another name: what it leads to is the credential. */
function locate(root: string, { path, type }: Found<WorkspaceKind>): readonly string[] {
  if (type !== "link") return [path];
  try {
    const target = realpathSync(join(root, path));
    const isAbove = isInside(target, join(root, dirname(path)));
    if (!isInside(root, target) || isAbove || !isPlain(target)) return [];
    return [relative(root, target)];
  } catch {
    return [];
  }
}

function isPlain(path: string): boolean {
  const found = lstatSync(path);
  return found.isFile() || found.isDirectory();
}

/** Everything that is looked for in workspaces, so that one look finds it all. */
type WorkspaceKind = MetadataKind | "credential";
export type WorkspaceSurvey = Survey<WorkspaceKind>;

const classify: Classify<WorkspaceKind> = (entry) => classifyMetadata(entry) ?? (isCredentialPath(entry.name) ? "credential" : undefined);

/** Workspaces whose folders are remembered. */
const maxSurveyed = 64;
const surveyors = new Map<string, WorkspaceSurveyor<WorkspaceKind>>();

/** Looks through a workspace as it is now. All who ask for the same one share what is remembered of it. */
export function surveyWorkspace(root: string): Promise<WorkspaceSurvey> {
  const surveyor = surveyors.get(root) ?? new WorkspaceSurveyor(root, classify);
  surveyors.delete(root);
  surveyors.set(root, surveyor);
  const [oldest] = surveyors.keys();
  if (oldest !== undefined && surveyors.size > maxSurveyed) surveyors.delete(oldest);
  return surveyor.survey();
}

/** A file or folder of credentials in a workspace. */
export interface Credential {
  /** Relative to the workspace. */
  readonly path: string;
  readonly isFolder: boolean;
  /** What its text holds that no output should, as far as it was read. */
  readonly values: readonly string[];
}

const maxFileBytes = 64 * 1024;
/** Files of a folder whose values are read. */
const maxInFolder = 32;
/** Entries that are looked at for further names of a file. */
const maxEntries = 500_000;

interface Known {
  readonly mark: string;
  readonly credential: Credential | undefined;
}

/** Reads the credentials of one workspace; a file again only when it changed. */
class CredentialReader {
  #known = new Map<string, Known>();

  /** Leaves out what holds none although it is named like one, and adds further names of the same files. */
  read(root: string, paths: readonly string[]): readonly Credential[] {
    const seen = new Map<string, Known>();
    const linked = new Set<string>();
    for (const path of paths) {
      const entry = lstatSync(join(root, path), { throwIfNoEntry: false });
      if (!entry || seen.has(path)) continue;
      const known = this.#look(root, path, entry);
      seen.set(path, known);
      // A package manager links its packages from a store, where they have their other names.
      if (known.credential && entry.isFile() && entry.nlink > 1 && !/(?:^|\/)node_modules\//.test(path)) linked.add(identify(entry));
    }
    if (linked.size > 0) for (const path of findNames(root, linked)) if (!seen.has(path)) seen.set(path, this.#read(root, path));
    this.#known = seen;
    return [...seen.values()].flatMap(({ credential }) => credential ?? []).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  #look(root: string, path: string, entry: Stats): Known {
    if (entry.isDirectory() && isPythonEnvironment(root, path)) return { mark: "", credential: undefined };
    if (entry.isDirectory()) return { mark: "", credential: { path, isFolder: true, values: readFolder(root, path) } };
    const mark = `${identify(entry)} ${entry.size} ${entry.mtimeMs} ${entry.ctimeMs}`;
    const known = this.#known.get(path);
    return known?.mark === mark && Date.now() - entry.ctimeMs > 100 ? known : { ...this.#read(root, path), mark };
  }

  #read(root: string, path: string): Known {
    const found = readInside(root, path, maxFileBytes);
    if (found.kind === "file" && isHarmlessContent(path, found.bytes)) return { mark: "", credential: undefined };
    const values = found.kind === "file" ? secretValues(found.bytes.toString()) : [];
    return { mark: "", credential: { path, isFolder: false, values } };
  }
}

const identify = ({ dev, ino }: Stats) => `${dev} ${ino}`;

/** Some call the folder of their virtual environment `.env`. */
const isPythonEnvironment = (root: string, path: string) =>
  path.toLowerCase().endsWith(".env") && readInside(root, join(path, "pyvenv.cfg"), maxFileBytes).kind === "file";

function readFolder(root: string, path: string): readonly string[] {
  return listInside(root, path)
    .slice(0, maxInFolder)
    .flatMap((name) => {
      const found = readInside(root, join(path, name), maxFileBytes);
      return found.kind === "file" ? secretValues(found.bytes.toString()) : [];
    });
}

/** All names below the workspace of the files that are meant. */
function findNames(root: string, identities: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  const waiting = [""];
  let left = maxEntries;
  for (let folder = waiting.pop(); folder !== undefined && left > 0; folder = waiting.pop()) {
    for (const entry of readFolderEntries(join(root, folder))) {
      const path = join(folder, entry.name);
      if (--left <= 0) break;
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isFile()) {
        const found = lstatSync(join(root, path), { throwIfNoEntry: false });
        if (found && found.nlink > 1 && identities.has(identify(found))) names.push(path);
      }
    }
  }
  return names;
}

function readFolderEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

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
