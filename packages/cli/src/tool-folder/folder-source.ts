import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { LeftOut, ModuleSource } from "@toolwright/engine";
import { findToolFiles } from "./find-tool-files.ts";
import { type FreshModule, foldersBeside, importFresh, type ModuleGuard, stampOf } from "./module-hooks.ts";
import { watchFolder } from "./watch-folder.ts";

/** What of a folder may run now. */
export interface Admission {
  readonly files: readonly string[];
  readonly leftOut: readonly LeftOut[];
  readonly guard?: ModuleGuard | undefined;
}

/** Says which code of a folder somebody trusts. */
export interface FolderTrust {
  /** Asked again at each load, with the real path of the folder and its tool files, relative to it. */
  admit(root: string, files: readonly string[]): Admission;
  /** Where its answers are kept: when that changes, so may they. */
  readonly records: string;
}

export interface FolderSourceOptions {
  /** Hears why the folder cannot be watched. */
  readonly onWatchError?: (error: Error) => void;
  /** Default: somebody named the folder, so all of it loads. */
  readonly trust?: FolderTrust | undefined;
  /** Throws for code that must not run wherever it is. */
  readonly guard?: ModuleGuard;
}

/**
 * A folder of `*.tool.ts` files, subfolders included. A tool is imported again when its file or a file outside packages that it imports
 * changed; each tool has its own copy of those. A missing folder has no tools until it is there.
 */
export function createFolderSource(folder: string, options: FolderSourceOptions = {}): ModuleSource {
  const root = resolve(folder);
  const loaded = new Map<string, FreshModule>();
  let admission: Admission = { files: [], leftOut: [] };
  const guard: ModuleGuard = (path, sha) => {
    options.guard?.(path, sha);
    admission.guard?.(path, sha);
  };
  return {
    name: folder,
    async list() {
      admission = await admit(root, options.trust);
      for (const known of loaded.keys()) if (!admission.files.includes(known)) loaded.delete(known);
      return admission.files;
    },
    leftOut: () => admission.leftOut,
    async load(file) {
      const known = loaded.get(file);
      if (known && isUnchanged(known)) return { default: known.namespace.default, code: known.code };
      loaded.delete(file);
      const place = await realpath(root);
      const module = await importFresh(join(place, file), { root: place, guard });
      loaded.set(file, module);
      return { default: module.namespace.default, code: module.code };
    },
    watch(onChange) {
      const onError = options.onWatchError ?? (() => {});
      const beside = () => [...loaded.values()].flatMap((module) => foldersBeside(root, module));
      const stops = [watchFolder(root, { onChange, onError, beside })];
      if (options.trust) stops.push(watchFolder(options.trust.records, { onChange, onError }));
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

/** A folder that cannot be read has no tools, and says why. */
async function admit(root: string, trust: FolderTrust | undefined): Promise<Admission> {
  try {
    const files = await findToolFiles(root);
    return files.length > 0 && trust ? trust.admit(await realpath(root), files) : { files, leftOut: [] };
  } catch (error) {
    const message = `${root} cannot be read: ${error instanceof Error ? error.message : error}. Name another folder with --tools.`;
    return { files: [], leftOut: [{ file: root, code: "load_failed", message }] };
  }
}

function isUnchanged({ stamps }: FreshModule): boolean {
  return [...stamps].every(([path, stamp]) => stampOf(path) === stamp);
}
