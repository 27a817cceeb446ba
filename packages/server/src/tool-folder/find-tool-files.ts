import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";

const toolFile = /\.tool\.(ts|mts|js|mjs)$/;
/** True for a name that is loaded from a folder of tools. */
export const isToolFile = (name: string) => toolFile.test(name);

const ignored = new Set(["node_modules", ".git"]);

/** Tool files of a folder and of those below, relative to it, in a stable order. None where the folder is missing. */
export async function findToolFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const queue = [root];
  for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
    for (const entry of await readFolder(folder)) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && !ignored.has(entry.name)) queue.push(path);
      else if (isToolFile(entry.name) && (entry.isFile() || (entry.isSymbolicLink() && (await mayBeFile(path)))))
        found.push(relative(root, path).replaceAll(sep, "/"));
    }
  }
  return found.sort();
}

async function readFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

/** A link to nothing is one that its author wants to hear of; to read a pipe or a device would never end. */
async function mayBeFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => true,
  );
}
