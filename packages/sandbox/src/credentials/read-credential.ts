import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { listInside, readInside } from "../repository/read-inside.ts";
import { isHarmlessContent } from "./harmless-content.ts";
import { secretValues } from "./secret-values.ts";

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
export class CredentialReader {
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
