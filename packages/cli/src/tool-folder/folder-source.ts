import { readdir, realpath } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModuleSource } from "@toolwright/engine";
import { type FreshModule, importFresh, stampOf } from "./module-hooks.ts";
import { watchFolder } from "./watch-folder.ts";

const toolFile = /\.tool\.(ts|mts|js|mjs)$/;

export interface FolderSourceOptions {
  /** Hears why the folder cannot be watched. */
  readonly onWatchError?: (error: Error) => void;
}

/**
 * A folder of `*.tool.ts` files, subfolders included. A tool is imported again when its file or a file of the folder that it imports
 * changed; each tool has its own copy of what it imports from the folder. A missing folder has no tools until it is there.
 */
export function createFolderSource(folder: string, options: FolderSourceOptions = {}): ModuleSource {
  const root = resolve(folder);
  const loaded = new Map<string, FreshModule>();
  return {
    name: folder,
    async list() {
      const files = await findToolFiles(root);
      for (const known of loaded.keys()) if (!files.includes(known)) loaded.delete(known);
      return files;
    },
    async load(file) {
      const known = loaded.get(file);
      if (known && isUnchanged(known)) return known.namespace;
      loaded.delete(file);
      const place = pathToFileURL((await realpath(root)) + sep);
      const module = await importFresh(new URL(file.split("/").map(encodeURIComponent).join("/"), place), place);
      loaded.set(file, module);
      return module.namespace;
    },
    watch(onChange) {
      return watchFolder(root, { onChange, onError: options.onWatchError ?? (() => {}) });
    },
  };
}

async function findToolFiles(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return entries
    .filter((entry) => (entry.isFile() || entry.isSymbolicLink()) && toolFile.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, "/"))
    .filter((path) => !path.split("/").includes("node_modules"))
    .sort();
}

function isUnchanged({ stamps }: FreshModule): boolean {
  return [...stamps].every(([path, stamp]) => stampOf(path) === stamp);
}
