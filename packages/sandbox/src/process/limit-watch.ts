import { readFileSync } from "node:fs";
import type { LimitWatch } from "./launch-request.ts";
import { listProcesses, type ProcessEntry } from "./process-tree.ts";
import { WriteLedger } from "./write-ledger.ts";

export type WatchedLimit = "memory" | "processes" | "written";

/** A run that is under way, as far as its limits are concerned. */
export interface WatchedRun {
  /** Runs of one scope share `memoryBytes` and `processes`. */
  readonly scope: string;
  readonly limits: LimitWatch;
  /** Processes of the sandbox itself; they are not the run's. */
  readonly launcherProcesses: number;
  members(all: readonly ProcessEntry[]): readonly ProcessEntry[];
  end(limit: WatchedLimit): void;
}

interface Seen {
  readonly run: WatchedRun;
  readonly members: readonly ProcessEntry[];
}

const lookMs = 100;
const glanceMs = 10;
/** New threads of the whole machine after which it is worth to look at once. */
const suddenThreads = 40;

/** Looks at all runs of this process that have limits which the kernel does not hold, and ends the one that takes most when a limit is passed. */
export class LimitWatcher {
  readonly #runs = new Map<WatchedRun, WriteLedger>();
  #look: NodeJS.Timeout | undefined;
  #glance: NodeJS.Timeout | undefined;
  #turn = 0;
  #threadsSeen = 0;
  /** A look takes its time on a busy machine; looks must leave most of it to the runs. */
  #restUntil = 0;

  add(run: WatchedRun): void {
    if (Object.keys(run.limits).length === 0) return;
    this.#runs.set(run, new WriteLedger());
    this.#threadsSeen = startedThreads();
    this.#look ??= setInterval(() => this.#lookAround(), lookMs);
    if (run.limits.processes !== undefined) this.#glance ??= setInterval(() => this.#glanceAround(), glanceMs);
  }

  remove(run: WatchedRun): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0) return;
    clearInterval(this.#look);
    clearInterval(this.#glance);
    this.#look = undefined;
    this.#glance = undefined;
  }

  /** A fork bomb makes more processes between two looks than one is allowed: the kernel's count of all forks is read more often. */
  #glanceAround(): void {
    if (performance.now() >= this.#restUntil && Math.abs(startedThreads() - this.#threadsSeen) >= suddenThreads) this.#lookAround();
  }

  #lookAround(): void {
    const begun = performance.now();
    this.#threadsSeen = startedThreads();
    this.#turn++;
    const shared = [...this.#runs.keys()].some(({ limits }) => limits.memoryBytes !== undefined || limits.processes !== undefined);
    const writes = this.#turn % 2 === 0;
    if (!shared && !writes) return;
    const all = listProcesses();
    const seen = [...this.#runs.keys()].map((run) => ({ run, members: run.members(all) }));
    for (const group of byScope(seen).values()) judgeScope(group);
    if (writes) for (const { run, members } of seen) this.#judgeWrites(run, members);
    this.#restUntil = performance.now() + 3 * (performance.now() - begun);
  }

  #judgeWrites(run: WatchedRun, members: readonly ProcessEntry[]): void {
    const limit = run.limits.writtenBytes;
    const ledger = this.#runs.get(run);
    if (limit !== undefined && ledger !== undefined && ledger.add(members) > limit) run.end("written");
  }
}

/** Threads that the machine ever started, nearly: the last process id, which wraps round; proc_loadavg(5). */
function startedThreads(): number {
  try {
    return Number(readFileSync("/proc/loadavg", "utf8").trim().split(" ").at(-1));
  } catch {
    return 0;
  }
}

function byScope(seen: readonly Seen[]): Map<string, Seen[]> {
  return Map.groupBy(seen, ({ run }) => run.scope);
}

function judgeScope(group: readonly Seen[]): void {
  const threads = ({ run, members }: Seen) => Math.max(0, sum(members, (entry) => entry.threads) - run.launcherProcesses);
  if (isPassed(group, "processes", threads)) {
    endLargest(group, "processes", threads);
    return;
  }
  const resident = ({ members }: Seen) => sum(members, ({ pid }) => readSize(pid, "status", "VmRSS"));
  if (!isPassed(group, "memoryBytes", resident)) return;
  // Pages that processes share were counted for each of them; the exact count takes longer.
  const exact = ({ members }: Seen) => sum(members, ({ pid }) => readSize(pid, "smaps_rollup", "Pss") || readSize(pid, "status", "VmRSS"));
  if (isPassed(group, "memoryBytes", exact)) endLargest(group, "memoryBytes", exact);
}

function isPassed(group: readonly Seen[], name: "processes" | "memoryBytes", measure: (seen: Seen) => number): boolean {
  return sum(group, measure) > limitOf(group, name);
}

function limitOf(group: readonly Seen[], name: "processes" | "memoryBytes"): number {
  return Math.min(Number.POSITIVE_INFINITY, ...group.flatMap(({ run }) => run.limits[name] ?? []));
}

/** Ends those that take most, until the others fit. */
function endLargest(group: readonly Seen[], name: "processes" | "memoryBytes", measure: (seen: Seen) => number): void {
  const sized = group.map((seen) => ({ run: seen.run, size: measure(seen) })).sort((a, b) => b.size - a.size);
  let left = sum(sized, ({ size }) => size);
  for (const { run, size } of sized) {
    if (left <= limitOf(group, name)) return;
    left -= size;
    run.end(name === "processes" ? "processes" : "memory");
  }
}

function sum<Entry>(entries: readonly Entry[], measure: (entry: Entry) => number): number {
  return entries.reduce((total, entry) => total + measure(entry), 0);
}

function readSize(pid: number, file: string, name: string): number {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
