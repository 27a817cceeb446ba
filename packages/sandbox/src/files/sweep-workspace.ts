import { closeSync, lstatSync, opendirSync, unlinkSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { bestAnchoring, type OpenFolder, openInside, openRoot } from "./anchor.ts";
import { temporaryName } from "./sweep-temporaries.ts";

/** Milliseconds without a write after which nobody is writing a file any more: a write takes seconds. */
const abandonedMs = 60_000;
/** When the files of writes that were killed just before the start are old enough, too. */
const againMs = 90_000;
const mostDepth = 64;
/** Entries that are looked at: the sweep of a workspace that is larger ends there. */
const mostEntries = 500_000;

interface Sweep {
  readonly now: number;
  readonly signal: AbortSignal;
  left: number;
  removed: number;
}

export interface Swept {
  /** Files. */
  readonly removed: number;
  /** False when the workspace has more entries than are looked at. */
  readonly isComplete: boolean;
}

interface SweepOptions {
  /** Milliseconds since the epoch. */
  readonly now?: number;
  readonly signal?: AbortSignal;
  /** Entries that are looked at. */
  readonly most?: number;
}

/** Removes from all folders of a workspace what writes that were killed left. Links are not followed. */
export async function sweepWorkspace(
  root: string,
  { now = Date.now(), signal = new AbortController().signal, most = mostEntries }: SweepOptions = {},
): Promise<Swept> {
  const sweep: Sweep = { now, signal, left: most, removed: 0 };
  try {
    await sweepFolder(sweep, openRoot(root), mostDepth);
  } catch {
    // There is no workspace yet, or it may not be read: then nothing was written there either.
  }
  return { removed: sweep.removed, isComplete: sweep.left > 0 };
}

async function sweepFolder(sweep: Sweep, folder: OpenFolder, depth: number): Promise<void> {
  try {
    const folders = removeAbandoned(sweep, folder);
    for (const name of depth > 1 ? folders : []) {
      // Calls come first.
      await nextTurn();
      if (sweep.signal.aborted || sweep.left <= 0) return;
      const below = openBelow(folder, name);
      if (below) await sweepFolder(sweep, below, depth - 1);
    }
  } finally {
    closeSync(folder.fd);
  }
}

/** Gives the folders in it. */
function removeAbandoned(sweep: Sweep, folder: OpenFolder): readonly string[] {
  const folders: string[] = [];
  const directory = opendirSync(bestAnchoring.self(folder), { bufferSize: 256 });
  try {
    for (let entry = directory.readSync(); entry && sweep.left > 0; entry = directory.readSync()) {
      sweep.left -= 1;
      if (entry.isDirectory() && entry.name !== ".git") folders.push(entry.name);
      else if (entry.isFile() && temporaryName.test(entry.name) && removeOld(sweep, bestAnchoring.entry(folder, entry.name)))
        sweep.removed += 1;
    }
  } finally {
    directory.closeSync();
  }
  return folders;
}

function removeOld({ now }: Sweep, address: string): boolean {
  try {
    const stats = lstatSync(address, { throwIfNoEntry: false });
    if (!stats?.isFile() || now - stats.mtimeMs <= abandonedMs) return false;
    unlinkSync(address);
    return true;
  } catch {
    return false;
  }
}

function openBelow(folder: OpenFolder, name: string): OpenFolder | undefined {
  try {
    return openInside(bestAnchoring, folder, name);
  } catch {
    return undefined;
  }
}

/** Sweeps workspaces now, and once more when what was written until now is old enough. Returns how to stop. */
export function sweepAtStart(roots: readonly string[], onSwept: (root: string, swept: Swept) => void): () => Promise<void> {
  const stop = new AbortController();
  const sweepAll = async () => {
    for (const root of roots) {
      const swept = await sweepWorkspace(root, { signal: stop.signal });
      if (swept.removed > 0 || !swept.isComplete) onSwept(root, swept);
    }
  };
  let sweeping = sweepAll();
  const again = setTimeout(() => {
    sweeping = sweeping.then(sweepAll);
  }, againMs).unref();
  return () => {
    clearTimeout(again);
    stop.abort();
    return sweeping;
  };
}
