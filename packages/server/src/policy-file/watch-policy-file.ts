import { unwatchFile, watchFile } from "node:fs";
import { type LoadedPolicy, type LoadPolicyOptions, loadPolicyFile, PolicyFileError } from "./load-policy-file.ts";

/** Editors write, rename and touch in bursts: one load for all that happens in this time. */
const burstMs = 100;
const lookEveryMs = 250;

interface WatchPolicyOptions extends LoadPolicyOptions {
  /** Files to look at beside those of the policy: a policy may appear there. */
  readonly places?: readonly string[];
  /** Hears of each policy that differs from the one before. */
  readonly onLoaded: (policy: LoadedPolicy) => void;
  /** Hears of each one that cannot be put in force, once. */
  readonly onRefused: (error: Error) => void;
}

/**
 * Loads a policy again when it, or a file that it includes, changed. Files are looked at by name and at intervals: notifications are
 * lost where a link leads to another folder, where a folder is deleted and made again, and on file systems that send none.
 */
export function watchPolicyFile(locate: () => string | undefined, first: LoadedPolicy, options: WatchPolicyOptions): () => void {
  const followed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let last = first.fingerprint;
  let loading = Promise.resolve();

  const follow = (files: readonly string[]) => {
    if (stopped) return;
    const wanted = new Set([...(options.places ?? []), ...files]);
    for (const file of followed) if (!wanted.has(file)) leave(file);
    for (const file of wanted) {
      if (followed.has(file)) continue;
      followed.add(file);
      watchFile(file, { persistent: false, interval: lookEveryMs }, touched);
      // What changed since it was read and before it was watched.
      touched();
    }
  };
  const leave = (file: string) => {
    unwatchFile(file, touched);
    followed.delete(file);
  };
  const touched = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      loading = loading.then(load);
    }, burstMs);
  };
  const load = async () => {
    const path = locate();
    if (stopped || path === undefined) return;
    try {
      const loaded = await loadPolicyFile(path, options);
      follow(loaded.files);
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
  return () => {
    stopped = true;
    clearTimeout(timer);
    for (const file of followed) leave(file);
  };
}
