import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, systemClock } from "@toolwright/engine";
import { namesIn } from "./read-json.ts";
import { isStoredId } from "./state-folder.ts";

const day = 24 * 60 * 60 * 1000;
/** Days that a store keeps what is over, where nothing else is said. */
export const defaultKeepDays = 30;
/** How often a store that stays open looks for what is over. */
const pruneEveryMs = 60 * 60 * 1000;

export interface KeepOptions {
  readonly clock?: Clock;
  /** Milliseconds that what is over is kept. Default 30 days. */
  readonly keepMs?: number;
}

/** A store that removes what has been over for long: when it is asked to, and now and then while it is used. */
export interface Prunable {
  /** Says how many entries went. Never rejects. */
  prune(): Promise<number>;
}

/** What one store keeps in `<folder>/<tenant>/<id>`. */
export interface EntryKind {
  /** The file that makes the entry one: it goes first, so that nobody ever sees half of what is left. */
  readonly main: string;
  /** Names of its files. A folder that holds another one is not ours and stays. */
  readonly own: RegExp;
  /** Milliseconds since the epoch at which it was over, or will be; undefined when it was never finished. */
  endOf(place: string): Promise<number | undefined>;
}

export class Pruner {
  readonly #folder: string;
  readonly #kind: EntryKind;
  readonly #clock: Clock;
  readonly #keepMs: number;
  #lastAt: number;

  constructor(folder: string, kind: EntryKind, { clock = systemClock, keepMs = defaultKeepDays * day }: KeepOptions = {}) {
    this.#folder = folder;
    this.#kind = kind;
    this.#clock = clock;
    this.#keepMs = keepMs;
    this.#lastAt = clock.now();
  }

  /** For each use of the store; does nothing most of the time. */
  async pruneLazily(): Promise<void> {
    if (this.#clock.now() - this.#lastAt >= pruneEveryMs) await this.prune();
  }

  async prune(): Promise<number> {
    this.#lastAt = this.#clock.now();
    const before = this.#lastAt - this.#keepMs;
    let count = 0;
    for (const tenant of await namesIn(this.#folder).catch(() => []))
      for (const id of await namesIn(join(this.#folder, tenant)).catch(() => []))
        if (isStoredId(id) && (await this.#pruneEntry(join(this.#folder, tenant, id), before))) count++;
    return count;
  }

  /** What cannot be read stays: whoever reads it says so. */
  async #pruneEntry(place: string, before: number): Promise<boolean> {
    try {
      if (!(await lstat(place)).isDirectory()) return false;
      const end = (await this.#kind.endOf(place)) ?? (await lastChangeIn(place));
      const names = await readdir(place);
      if (end >= before || !names.every((name) => this.#kind.own.test(name))) return false;
      await rm(join(place, this.#kind.main), { force: true });
      await rm(place, { recursive: true, force: true });
      return true;
    } catch {
      return false;
    }
  }
}

async function lastChangeIn(place: string): Promise<number> {
  const paths = [place, ...(await readdir(place)).map((name) => join(place, name))];
  const stats = await Promise.all(paths.map((path) => lstat(path)));
  return Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
}
