import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { type LoadedPolicy, type LoadPolicyOptions, loadPolicyFile, PolicyFileError } from "./load-policy-file.ts";

/** Editors write, rename and touch in bursts: one load for all that happens in this time. */
const burstMs = 100;

export interface WatchPolicyOptions extends LoadPolicyOptions {
  /** Hears of each policy that differs from the one before. */
  readonly onLoaded: (policy: LoadedPolicy) => void;
  /** Hears of each one that cannot be put in force, once. */
  readonly onRefused: (error: Error) => void;
}

/** Loads a policy again when it, or a file that it includes, changed. Folders are watched: a watch on a file ends when an editor replaces the file. */
export function watchPolicyFile(path: string, first: LoadedPolicy, options: WatchPolicyOptions): () => void {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let last = first.fingerprint;
  let loading = Promise.resolve();

  const follow = (files: readonly string[]) => {
    const wanted = new Set(files.map((file) => dirname(file)));
    for (const [folder, watcher] of watchers) {
      if (wanted.has(folder)) continue;
      watcher.close();
      watchers.delete(folder);
    }
    for (const folder of wanted) if (!watchers.has(folder)) add(folder);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, { persistent: false }, touched);
      watcher.on("error", (error) => {
        watchers.delete(folder);
        cannotWatch(folder, error);
      });
      watchers.set(folder, watcher);
    } catch (error) {
      cannotWatch(folder, error as Error);
    }
  };
  const cannotWatch = (folder: string, error: Error) =>
    options.onRefused(new Error(`The folder ${folder} cannot be watched, so changes of the policy need a restart: ${error.message}.`));
  const touched = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      loading = loading.then(load);
    }, burstMs);
  };
  const load = async () => {
    if (stopped) return;
    try {
      const loaded = await loadPolicyFile(path, options);
      follow([...first.files, ...loaded.files]);
      if (stopped || loaded.fingerprint === last) return;
      options.onLoaded(loaded);
      last = loaded.fingerprint;
    } catch (error) {
      const refused = error instanceof Error ? error : new Error(String(error));
      if (refused instanceof PolicyFileError) follow([...first.files, ...refused.files]);
      if (stopped || refused.message === last) return;
      last = refused.message;
      options.onRefused(refused);
    }
  };

  follow(first.files);
  // What changed since it was read and before it was watched.
  touched();
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
