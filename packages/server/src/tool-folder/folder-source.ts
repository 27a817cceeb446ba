import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Logger, ToolwrightError } from "@toolwright/engine";
import { type LeftOut, type LoadedModule, type ModuleSource, silentLogger } from "@toolwright/engine/ports";
import { describeSystemError } from "../text/system-words.ts";
import { type CodeOwner, runOwned } from "./code-owner.ts";
import { awaitWatched, type ContainedFile, containTool, describeError } from "./contain-file.ts";
import { findToolFiles } from "./find-tool-files.ts";
import { guardProcess } from "./guard-process.ts";
import { foldersBeside, importFresh, type ModuleGuard, stampOf } from "./module-hooks.ts";
import { watchFolder } from "./watch-folder.ts";

/** Milliseconds for a file and all that it imports. */
const defaultLoadLimitMs = 10_000;

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
  /** For messages. Default: the folder as it was given. */
  readonly name?: string;
  /** Hears why the folder cannot be watched. */
  readonly onWatchError?: (error: Error) => void;
  /** Default: somebody named the folder, so all of it loads. */
  readonly trust?: FolderTrust | undefined;
  /** Throws for code that must not run wherever it is. */
  readonly guard?: ModuleGuard;
  /** Hears what tools did to others. */
  readonly logger?: Logger;
  /** Milliseconds in which a file must load. Default: `defaultLoadLimitMs`. */
  readonly loadLimitMs?: number | undefined;
}

/** A file that loaded, or one that is out until it changes. */
interface Known {
  readonly stamps: ReadonlyMap<string, string>;
  readonly module?: LoadedModule;
  /** Why it is out. */
  out?: string;
}

/**
 * A folder of `*.tool.ts` files, subfolders included. A tool is imported again when its file or a file outside packages that it imports
 * changed; each tool has its own copy of those. A missing folder has no tools until it is there.
 */
export function createFolderSource(folder: string, options: FolderSourceOptions = {}): ModuleSource {
  const root = resolve(folder);
  const { logger = silentLogger, name = folder } = options;
  const known = new Map<string, Known>();
  const listeners = new Set<() => void>();
  /** True when a file was taken out since the last listing. */
  let isOutdated = false;
  let admission: Admission = { files: [], leftOut: [] };
  const guard: ModuleGuard = (path, sha) => {
    options.guard?.(path, sha);
    admission.guard?.(path, sha);
  };
  const takeOut = (file: string, stamps: ReadonlyMap<string, string>, out: string) => {
    const now = known.get(file);
    // Code of a file that has changed since does not take out what stands there now.
    if (now?.out !== undefined || (now && now.stamps !== stamps)) return;
    known.set(file, { stamps, out });
    // One that loads just now is told by how its loading ends.
    if (now === undefined) return;
    isOutdated = true;
    for (const changed of listeners) changed();
  };
  const load = async (file: string): Promise<LoadedModule> => {
    const place = await realpath(root);
    const path = join(place, file);
    const stamps = new Map([[path, stampOf(path)]]);
    const contained = new LoadingFile(`${name}/${file}`, logger, (what) => takeOut(file, stamps, what));
    guardProcess();
    const module = await contained.load(
      () => importFresh(path, { root: place, guard, owner: contained, stamps }),
      options.loadLimitMs ?? defaultLoadLimitMs,
    );
    const loaded = { default: containTool(module.namespace.default, contained), code: module.code };
    if (known.get(file)?.stamps !== stamps) known.set(file, { stamps, module: loaded });
    return loaded;
  };
  return {
    name,
    async list() {
      isOutdated = false;
      admission = await admit(root, options.trust);
      for (const file of known.keys()) if (!admission.files.includes(file)) known.delete(file);
      return admission.files;
    },
    leftOut: () => admission.leftOut,
    async load(file) {
      const before = known.get(file);
      if (before === undefined || !isUnchanged(before)) {
        known.delete(file);
        await load(file);
      }
      const { module, out } = known.get(file) as Known;
      if (module && out === undefined) return module;
      throw new ToolwrightError("load_failed", `taken out, because ${out}. Change the file to load it again.`);
    },
    watch(onChange) {
      const onError = options.onWatchError ?? (() => {});
      const beside = () => [...known.values()].flatMap((module) => foldersBeside(root, module));
      const stops = [watchFolder(root, { onChange, onError, beside })];
      if (options.trust) stops.push(watchFolder(options.trust.records, { onChange, onError }));
      listeners.add(onChange);
      if (isOutdated) onChange();
      return () => {
        listeners.delete(onChange);
        for (const stop of stops) stop();
      };
    },
  };
}

/** A file while it loads, and what its code does outside any call after that. */
class LoadingFile implements CodeOwner, ContainedFile {
  readonly file: string;
  readonly #logger: Logger;
  readonly #onOut: (what: string) => void;
  #fail: ((error: Error) => void) | undefined;

  constructor(file: string, logger: Logger, onOut: (what: string) => void) {
    this.file = file;
    this.#logger = logger;
    this.#onOut = onOut;
  }

  /** Rejects when it does not finish in time, or with what escapes it meanwhile. */
  async load<Module>(work: () => Promise<Module>, limitMs: number): Promise<Module> {
    const stopped = Promise.withResolvers<never>();
    this.#fail = stopped.reject;
    const limit = setTimeout(() => {
      const what = `it did not finish loading within ${limitMs / 1000} s, because it waits for something at its top level`;
      this.takeOut(what);
      stopped.reject(new ToolwrightError("load_failed", `${what}. Move the wait into run; a changed file is loaded again.`));
    }, limitMs);
    try {
      return await awaitWatched(this, () => Promise.race([runOwned(this, work), stopped.promise]));
    } finally {
      clearTimeout(limit);
      this.#fail = undefined;
    }
  }

  escaped({ what, error }: { readonly what: string; readonly error?: unknown }): void {
    this.#fail?.(new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`));
    this.takeOut(what);
    this.#logger.log("error", `${this.file}: ${what}.`, { error: describeError(error) });
  }

  takeOut(what: string): void {
    this.#logger.log("error", `${this.file}: ${what}. Its tool is taken out until the file changes.`);
    this.#onOut(what);
  }

  suspect(what: string): void {
    this.#logger.log("error", `${this.file}: this file or another one whose tool ran at the same time did harm, which is undone: ${what}.`);
  }
}

/** A folder that cannot be read has no tools, and says why. */
async function admit(root: string, trust: FolderTrust | undefined): Promise<Admission> {
  try {
    const files = await findToolFiles(root);
    return files.length > 0 && trust ? trust.admit(await realpath(root), files) : { files, leftOut: [] };
  } catch (error) {
    const message = `${root} cannot be read: ${describeSystemError(error)}. Name another folder with --tools.`;
    return { files: [], leftOut: [{ file: root, code: "load_failed", message }] };
  }
}

function isUnchanged({ stamps }: Known): boolean {
  return [...stamps].every(([path, stamp]) => stampOf(path) === stamp);
}
