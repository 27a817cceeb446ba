import { readFileSync } from "node:fs";
import type { ProcessEntry } from "./process-tree.ts";

interface Account {
  readonly parent: number;
  readonly bytes: number;
}

/** What a process and the children that it has waited for have sent towards disks; proc_pid_io(5). */
function readWritten(pid: number): number {
  try {
    return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Adds up what a tree of processes writes, look by look. A process that ended counts on in whoever waited for it, so of what such a parent
 * has more, that part is not new; where nobody waited, it stays counted here.
 */
export class WriteLedger {
  readonly #read: (pid: number) => number;
  #accounts = new Map<number, Account>();
  #total = 0;

  constructor(read: (pid: number) => number = readWritten) {
    this.#read = read;
  }

  /** The sum so far. */
  add(members: readonly Pick<ProcessEntry, "pid" | "parent">[]): number {
    const now = new Map(members.map(({ pid, parent }) => [pid, { parent, bytes: this.#read(pid) }]));
    const inherited = new Map<number, number>();
    for (const [pid, { bytes }] of this.#accounts) {
      const heir = now.has(pid) ? undefined : this.#heirOf(pid, now);
      if (heir !== undefined) inherited.set(heir, (inherited.get(heir) ?? 0) + bytes);
    }
    for (const [pid, { bytes }] of now) {
      const more = bytes - (this.#accounts.get(pid)?.bytes ?? 0);
      this.#total += Math.max(0, more - (inherited.get(pid) ?? 0));
    }
    this.#accounts = now;
    return this.#total;
  }

  /** The nearest process above that is still there. */
  #heirOf(pid: number, now: ReadonlyMap<number, Account>): number | undefined {
    const seen = new Set<number>();
    for (let at = this.#accounts.get(pid)?.parent; at !== undefined && !seen.has(at); at = this.#accounts.get(at)?.parent) {
      if (now.has(at)) return at;
      seen.add(at);
    }
    return undefined;
  }
}
