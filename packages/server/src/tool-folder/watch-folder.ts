import { type Dirent, existsSync, type FSWatcher, readdirSync, watch } from "node:fs";
import { dirname, join } from "node:path";

/** Editors write, rename and touch in bursts: one call back for all that happens in this time. */
const burstMs = 100;
const ignored = new Set(["node_modules", ".git"]);

/**
 * Calls back, coalesced, after anything below the folder changed. The folder may be missing: it is awaited. Each folder is watched by
 * itself, because a watch on a file ends when an editor replaces the file.
 */
export function watchFolder(
  root: string,
  options: {
    readonly onChange: () => void;
    readonly onError: (error: Error) => void;
    /** Other folders, without those below; asked again after each change. */
    readonly beside?: () => readonly string[];
  },
): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const touched = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (stopped) return;
      follow();
      options.onChange();
    }, burstMs);
  };
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const follow = () => {
    const wanted = new Set([...foldersOf(root), ...(options.beside?.() ?? [])]);
    for (const folder of watchers.keys()) if (!wanted.has(folder)) drop(folder);
    for (const folder of wanted) if (!watchers.has(folder)) add(folder);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, (kind, name) => {
        // A folder that was removed and made again has a new identity, which only a new watch sees.
        if (kind === "rename" && name !== null && watchers.has(join(folder, name))) drop(join(folder, name));
        touched();
      });
      watcher.on("error", () => {
        drop(folder);
        touched();
      });
      watchers.set(folder, watcher);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") options.onError(error as Error);
    }
  };

  follow();
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const folder of [...watchers.keys()]) drop(folder);
  };
}

/** The folder and all below it; while it is missing, the nearest one above that is there. */
function foldersOf(root: string): string[] {
  let folder = root;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  return folder === root ? [root, ...subfoldersOf(root)] : [folder];
}

function subfoldersOf(folder: string): string[] {
  return readFolder(folder)
    .filter((entry) => entry.isDirectory() && !ignored.has(entry.name))
    .flatMap((entry) => [join(folder, entry.name), ...subfoldersOf(join(folder, entry.name))]);
}

/** A folder may be gone between its listing and its reading. */
function readFolder(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
