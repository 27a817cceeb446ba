import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { createGroups, killGroups, readLimitHits, removeGroups } from "./control-group.ts";
import { endWithout, type LaunchEnd, type LaunchRequest, type RemoteRun } from "./launch-request.ts";
import { LimitWatcher, type WatchedLimit, type WatchedRun } from "./limit-watch.ts";
import { NetworkCounters } from "./network-counters.ts";
import { holdPlaceholder, releasePlaceholder } from "./placeholder.ts";
import { PrintedToken } from "./printed-token.ts";
import {
  findInit,
  isAlive,
  killTree,
  type NamespaceInit,
  type ProcessTree,
  startOf,
  terminateTree,
  treeEntries,
  treeMembers,
} from "./process-tree.ts";
import { joinGroups, leaveGroups } from "./shared-groups.ts";
import { tellRemote } from "./tell-remote.ts";

interface RunEvents {
  ready(): void;
  output(stream: "stdout" | "stderr", chunk: Buffer): void;
  inputTaken(): void;
  ended(end: LaunchEnd): void;
}

/** Bytes of output on the way before a run's pipes are left full; the program then waits. */
const outputWindowBytes = 1024 * 1024;
const drainMs = 250;
/** Milliseconds between two looks whether anybody of a run is left, which looks at all processes. */
const allEndMs = 5;
/**
 * Milliseconds between two looks whether the first process of a namespace is gone, which is one file. Mostly the kernel takes a part of one for that,
 * so that a timer would double the wait: up to `soonMs` this process sleeps for the shorter time, and does nothing else.
 */
const [namespaceEndMs, shortestMs, soonMs] = [1, 0.1, 2];
const asleep = new Int32Array(new SharedArrayBuffer(4));
const watcher = new LimitWatcher();

/** One process tree, from fork to the last sign of it. */
export class SpawnedRun {
  readonly #request: LaunchRequest;
  readonly #events: RunEvents;
  #child: ChildProcess | undefined;
  #startedAt: number | undefined;
  readonly #held: string[] = [];
  #unacknowledged = 0;
  #paused = false;
  readonly #passed = new Set<WatchedLimit>();
  #watched: WatchedRun | undefined;
  #holdsScope = false;
  #killed = false;
  #ready = false;
  #early: Buffer | undefined;
  #token: PrintedToken | undefined;
  #network: NetworkCounters | undefined;
  #init: NamespaceInit | undefined;
  readonly ended: Promise<void>;

  constructor(request: LaunchRequest, events: RunEvents) {
    this.#request = request;
    this.#events = events;
    this.ended = this.#run();
  }

  get #tree(): ProcessTree {
    const child = this.#child;
    const leaderAlive = child !== undefined && child.exitCode === null && child.signalCode === null;
    return { leader: child?.pid, leaderAlive, groups: this.#request.groups, marker: this.#request.marker, since: this.#startedAt };
  }

  async #run(): Promise<void> {
    let end: LaunchEnd;
    try {
      this.#prepare();
      this.#child = this.#spawn();
      end = await this.#follow(this.#child);
    } catch (error) {
      end = { ...endWithout, kind: "failed", problem: (error as Error).message };
    }
    await this.#eraseTree();
    this.#events.ended(end);
    for (const entry of this.#held) releasePlaceholder(this.#request.placeholders.workspace, entry);
    await removeGroups(this.#request.groups);
    if (this.#holdsScope) await leaveGroups(this.#request.scope);
    await this.#tell("remove");
  }

  #prepare(): void {
    for (const entry of this.#request.placeholders.entries) {
      holdPlaceholder(this.#request.placeholders.workspace, entry);
      this.#held.push(entry);
    }
    this.#holdsScope = true;
    joinGroups(this.#request.scope);
    createGroups(this.#request.groups);
  }

  #spawn(): ChildProcess {
    const [program, ...rest] = this.#request.argv;
    const { cwd, env, readiness, preloaded } = this.#request;
    const child = spawn(program, rest, {
      cwd,
      env,
      detached: true,
      stdio: ["pipe", "pipe", "pipe", readiness === "announced" ? "pipe" : "ignore", ...preloaded.map(() => "pipe" as const)],
    });
    this.#startedAt = child.pid && startOf(child.pid);
    for (const [index, content] of preloaded.entries()) {
      const pipe = child.stdio[index + 4] as Writable;
      pipe.end(Buffer.from(content, "base64"), () => pipe.destroy());
    }
    return child;
  }

  async #follow(child: ChildProcess): Promise<LaunchEnd> {
    this.#wire(child);
    const closed = new Promise<true>((resolve) => child.once("close", () => resolve(true)));
    if (!this.#request.awaitsCommand) this.#watchLimits();
    await once(child, "exit").finally(() => this.#watched && watcher.remove(this.#watched));
    // A last writer behind a pipe (`> >(tee log)`) gets a moment; what stays longer is a leftover.
    await this.#drain(closed);
    const leftovers = this.#killed || this.#request.leaderOwnsTree ? 0 : treeMembers(this.#tree).length;
    await this.#eraseTree();
    await this.#drain(closed);
    for (const stream of child.stdio) stream?.destroy();
    const outOfMemory = (await this.#tell("outOfMemory")).trim() === "true";
    return this.#describe(child, { leftovers, outOfMemory });
  }

  /** Waits for the end of the output: a moment while somebody else holds the pipes, as long as it takes while the reader is slow. */
  async #drain(closed: Promise<true>): Promise<void> {
    for (let done = false; !done; ) done = (await Promise.race([closed, delay(drainMs, false)])) || !this.#paused || this.#killed;
  }

  #describe(child: ChildProcess, { leftovers, outOfMemory }: { leftovers: number; outOfMemory: boolean }): LaunchEnd {
    const hits = readLimitHits(this.#request.groups);
    const common = {
      exitCode: child.exitCode,
      signal: child.signalCode,
      leftovers,
      cpuLimitHit: hits.cpu,
      processLimitHit: hits.processes || this.#passed.has("processes"),
      writtenLimitHit: this.#passed.has("written"),
      networkMissed: this.#network?.conclude() ?? false,
    };
    return { ...common, kind: this.#ready ? "exited" : "failed", memoryLimitHit: hits.memory || this.#passed.has("memory") || outOfMemory };
  }

  #wire(child: ChildProcess): void {
    for (const stream of ["stdout", "stderr"] as const)
      (child[stream] as Readable).on("data", (chunk: Buffer) => this.#take(stream, chunk));
    // A program that ends without reading its input is not an error.
    for (const pipe of child.stdio) pipe?.on("error", () => {});
    const announce = () => {
      this.#ready = true;
      this.#network = NetworkCounters.below(child.pid);
      if (this.#request.leaderOwnsTree) this.#init = findInit(child.pid);
      this.#events.ready();
      if (this.#early) this.#command(this.#early);
    };
    const { readiness, token } = this.#request;
    if (readiness === "spawn") child.once("spawn", announce);
    else if (readiness === "announced") (child.stdio[3] as Readable).once("data", announce);
    else this.#token = new PrintedToken(token ?? "", announce);
  }

  #take(stream: "stdout" | "stderr", printed: Buffer): void {
    const chunk = stream === "stdout" && this.#token ? this.#token.take(printed) : printed;
    if (chunk.length === 0) return;
    this.#events.output(stream, chunk);
    this.#unacknowledged += chunk.length;
    if (this.#unacknowledged >= outputWindowBytes) this.#setFlowing(false);
  }

  #setFlowing(flowing: boolean): void {
    this.#paused = !flowing;
    for (const stream of [this.#child?.stdout, this.#child?.stderr]) flowing ? stream?.resume() : stream?.pause();
  }

  /** The server has taken that many bytes of output. */
  credit(bytes: number): void {
    this.#unacknowledged -= bytes;
    if (this.#unacknowledged <= outputWindowBytes / 2) this.#setFlowing(true);
  }

  input(data: Buffer): void {
    const stdin = this.#child?.stdin;
    if (stdin?.writable) stdin.write(data, () => this.#events.inputTaken());
    else this.#events.inputTaken();
  }

  endInput(): void {
    this.#child?.stdin?.end();
  }

  /** A command that comes early waits: what the run tries is counted from its first step. */
  control(data: Buffer): void {
    if (!this.#ready) this.#early = data;
    else this.#command(data);
  }

  #command(data: Buffer): void {
    if (this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) this.#watchLimits();
    (this.#child?.stdio[3] as Writable | null | undefined)?.end(data);
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#killed = true;
    if (this.#request.remote) void this.#signalRemote(name);
    else if (name === "SIGTERM") terminateTree(this.#tree, this.#request.launcherName);
    else killTree(this.#tree);
  }

  async #signalRemote(name: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (name === "SIGTERM") return void (await this.#tell("terminate"));
    await this.#tell("kill");
    killTree(this.#tree);
  }

  /** What the command printed; empty when there is none, or it failed: what it is about may be gone already. */
  async #tell(what: keyof RemoteRun): Promise<string> {
    const { remote, env } = this.#request;
    const argv = remote?.[what];
    return argv === undefined ? "" : tellRemote(argv, env);
  }

  #watchLimits(): void {
    const { scope, watch } = this.#request;
    this.#watched ??= {
      scope: scope.name,
      limits: watch,
      launcherProcesses: scope.launcherProcesses,
      members: (all) => treeEntries(this.#tree, all),
      end: (limit) => {
        this.#passed.add(limit);
        this.signal("SIGKILL");
      },
    };
    watcher.add(this.#watched);
  }

  /** Kills until nobody is left: a fork bomb forks while it is being killed. A pid namespace is killed with its leader, and ends after it. */
  async #eraseTree(): Promise<void> {
    const { leaderOwnsTree, groups } = this.#request;
    if (leaderOwnsTree) killGroups(groups);
    const isLeft = leaderOwnsTree ? () => this.#init !== undefined && isAlive(this.#init) : () => treeMembers(this.#tree).length > 0;
    const begun = performance.now();
    while (isLeft() && performance.now() < begun + 5000) {
      if (!leaderOwnsTree) killTree(this.#tree);
      if (leaderOwnsTree && performance.now() < begun + soonMs) Atomics.wait(asleep, 0, 0, shortestMs);
      else await delay(leaderOwnsTree ? namespaceEndMs : allEndMs);
    }
  }
}
