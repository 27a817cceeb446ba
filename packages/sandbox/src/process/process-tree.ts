import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { groupMembers, killGroups, removeGroups } from "./control-group.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { tellRemote } from "./tell-remote.ts";

/** What holds the processes of one run together. */
export interface ProcessTree {
  readonly leader: number | undefined;
  /** False once the leader has been reaped; its number is then only the name of its process group and session. */
  readonly leaderAlive: boolean;
  readonly groups: LaunchRequest["groups"];
  readonly marker?: string | undefined;
  /** When the leader was started: who was there before is not asked for the marker. */
  readonly since?: number | undefined;
}

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly processGroup: number;
  readonly session: number;
  readonly threads: number;
  /** In ticks of the kernel since the machine was started. */
  readonly startedAt: number;
}

/** Signals without complaint: the process may have ended meanwhile. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {}
}

/** The name in parentheses may hold anything, a parenthesis too; proc_pid_stat(5): state, ppid, pgrp, session follow the last one. */
function readStat(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function readEntry(pid: number): ProcessEntry | undefined {
  try {
    const [state, parent, processGroup, session, ...rest] = readStat(pid);
    if (state === "Z" || state === "X") return undefined;
    const [threads, startedAt] = [Number(rest[13]), Number(rest[15])];
    return { pid, parent: Number(parent), processGroup: Number(processGroup), session: Number(session), threads, startedAt };
  } catch {
    return undefined;
  }
}

/** When a process was started, also one that has ended and was not reaped. */
export function startOf(pid: number): number | undefined {
  try {
    return Number(readStat(pid)[19]);
  } catch {
    return undefined;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The process itself, or the nearest below it, that matches. */
export function findNearest(from: number, matches: (pid: number) => boolean): number | undefined {
  const queue = [from];
  for (let pid = queue.shift(); pid !== undefined; pid = queue.shift()) {
    if (matches(pid)) return pid;
    queue.push(...childrenOf(pid));
  }
  return undefined;
}

/** The first process of a pid namespace: the kernel ends all others of it before this one has ended. */
export interface NamespaceInit {
  readonly pid: number;
  readonly startedAt: number | undefined;
}

/** Finds the first process of the pid namespace nearest to the leader of a run; undefined where the run has no namespace of its own. */
export function findInit(leader: number | undefined): NamespaceInit | undefined {
  const pid = leader === undefined ? undefined : findNearest(leader, isInit);
  return pid === undefined ? undefined : { pid, startedAt: startOf(pid) };
}

/** proc_pid_status(5): NSpid has the number in each namespace, from the one of this process inwards. */
function isInit(pid: number): boolean {
  try {
    return /^NSpid:.*\t1$/m.test(readFileSync(`/proc/${pid}/status`, "utf8")) && pid !== 1;
  } catch {
    return false;
  }
}

/** False once nothing of the namespace is left. */
export function isAlive({ pid, startedAt }: NamespaceInit): boolean {
  return readEntry(pid)?.startedAt === startedAt;
}

function hasMarker(pid: number, marker: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${marker}\0`);
  } catch {
    return false;
  }
}

export function listProcesses(): ProcessEntry[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readEntry(Number(name)) ?? []) : []));
  } catch {
    return [];
  }
}

/** Everyone below the leader, in its process group or session, or with the marker; and, in turn, everyone below them. */
function walk({ leader, leaderAlive, marker, since = 0 }: ProcessTree, all: readonly ProcessEntry[]): number[] {
  const found = new Set<number>();
  for (const { pid, processGroup, session, startedAt } of all) {
    const related = leader !== undefined && (pid === leader ? leaderAlive : processGroup === leader || session === leader);
    if (related || (marker !== undefined && !(startedAt < since) && hasMarker(pid, marker))) found.add(pid);
  }
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  found.delete(process.pid);
  return [...found];
}

export function treeMembers(tree: ProcessTree): number[] {
  return tree.groups.length > 0 ? groupMembers(tree.groups).filter((pid) => readEntry(pid) !== undefined) : walk(tree, listProcesses());
}

/** Those of all processes that belong to the tree. */
export function treeEntries(tree: ProcessTree, all: readonly ProcessEntry[]): ProcessEntry[] {
  const members = new Set(tree.groups.length > 0 ? groupMembers(tree.groups) : walk(tree, all));
  return all.filter(({ pid }) => members.has(pid));
}

/** SIGKILL to everyone. A fork may slip between the look and the kill, so callers repeat until `treeMembers` is empty. */
export function killTree(tree: ProcessTree): void {
  if (tree.leader !== undefined && tree.leaderAlive) signalProcess(tree.leader, "SIGKILL");
  if (!killGroups(tree.groups)) for (const pid of treeMembers(tree)) signalProcess(pid, "SIGKILL");
}

/** SIGTERM to everyone but the processes of that name. */
export function terminateTree(tree: ProcessTree, spare: string | undefined): void {
  for (const pid of treeMembers(tree)) if (spare === undefined || nameOf(pid) !== spare) signalProcess(pid, "SIGTERM");
}

function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trimEnd();
  } catch {
    return "";
  }
}

/** Kills what a dead spawner left behind; the caller is the server. */
export async function eraseRemains({ groups, scope, marker, remote, env }: LaunchRequest): Promise<void> {
  if (remote) await tellRemote(remote.kill, env);
  if (remote) await tellRemote(remote.remove, env);
  const tree: ProcessTree = { leader: undefined, leaderAlive: false, groups, marker };
  const deadline = performance.now() + 5000;
  while (treeMembers(tree).length > 0 && performance.now() < deadline) {
    killTree(tree);
    await delay(5);
  }
  await removeGroups(groups);
  await removeGroups(scope.groups);
}
