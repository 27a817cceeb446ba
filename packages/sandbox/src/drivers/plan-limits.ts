import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec, ResourceLimits } from "@toolwright/engine/ports";
import type { ControlGroups } from "../process/control-group-detection.ts";
import type { ControlGroup, LimitWatch, SharedGroups } from "../process/launch-request.ts";
import { findSystemProgram } from "./prepare-spec.ts";

const mebibyte = 1024 * 1024;

let known: Required<ResourceLimits> | undefined;

/** What holds where a policy names nothing. A container's own limit of memory counts as the size of the machine, which is looked at once. */
function defaultLimits(): Required<ResourceLimits> {
  known ??= findLimits();
  return known;
}

function findLimits(): Required<ResourceLimits> {
  const constrained = process.constrainedMemory();
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return {
    memoryMb: Math.min(4096, Math.floor(memory / 2 / mebibyte)),
    cpuPercent: 200,
    processes: 256,
    fileSizeMb: 1024,
    openFiles: 1024,
    writtenMb: 10_240,
  };
}

/** Processors that this process may use. */
export const processors = availableParallelism();

type LimitName = keyof ResourceLimits;
/** How each limit is enforced here; a missing one cannot be. */
export type Mechanisms = Readonly<Partial<Record<LimitName, string>>>;

/** In a posture, and in sentences. */
const labels: Readonly<Record<LimitName, string>> = {
  memoryMb: "memory",
  cpuPercent: "cpu",
  processes: "processes",
  fileSizeMb: "fileSize",
  openFiles: "openFiles",
  writtenMb: "written",
};
const missing: Readonly<Record<LimitName, (value: number) => string>> = {
  memoryMb: (value) => `Nothing here holds a run to ${value} MB of memory.`,
  cpuPercent: (value) => `Nothing here holds a run to ${value / 100} processors.`,
  processes: (value) => `Nothing here holds a run to ${value} processes.`,
  fileSizeMb: (value) => `Nothing here holds a file to ${value} MB.`,
  openFiles: (value) => `Nothing here holds a process to ${value} open files.`,
  writtenMb: (value) => `Nothing here stops a run that writes more than ${value} MB.`,
};

/** What this machine can enforce. `processesByRlimit`: where the count is of the run alone (a user namespace, Linux 5.14). */
export function findMechanisms(groups: ControlGroups, processesByRlimit: boolean): Mechanisms {
  const linux = process.platform === "linux";
  const pinned = linux && findSystemProgram("taskset") !== undefined;
  return {
    ...(groups.can("memory") ? { memoryMb: "cgroup" } : linux ? { memoryMb: "watchdog" } : {}),
    ...(groups.can("cpu") ? { cpuPercent: "cgroup" } : pinned ? { cpuPercent: "affinity" } : {}),
    ...(groups.can("pids")
      ? { processes: "cgroup" }
      : processesByRlimit
        ? { processes: "rlimit" }
        : linux
          ? { processes: "watchdog" }
          : {}),
    fileSizeMb: "rlimit",
    openFiles: "rlimit",
    ...(linux ? { writtenMb: "watchdog" } : {}),
  };
}

/** How that value of the limit is enforced: a machine without more processors than that holds a run to them, and affinity counts whole ones. */
function mechanismFor(name: LimitName, value: number, mechanisms: Mechanisms): string | undefined {
  if (name !== "cpuPercent") return mechanisms[name];
  if (mechanisms.cpuPercent !== "affinity") return value >= processors * 100 ? "machine" : mechanisms.cpuPercent;
  return value >= processors * 100 ? "machine" : value >= 100 ? "affinity" : undefined;
}

export interface LimitPlan {
  /** What is enforced. */
  readonly limits: ResourceLimits;
  /** Control groups of this run. */
  readonly groups: readonly ControlGroup[];
  /** Control groups of all runs in the workspace. */
  readonly scope: SharedGroups;
  readonly watch: LimitWatch;
  /** Processors to hold the run to, as `taskset` writes them. */
  readonly processors?: string;
  /** For `Posture.limits`. */
  readonly posture: Readonly<Record<string, string>>;
  /** For `Posture.gaps`. */
  readonly gaps: readonly string[];
}

export interface PlanOptions {
  readonly mechanisms: Mechanisms;
  readonly groups: ControlGroups;
  /** What holds where the spec names nothing. */
  readonly defaults?: ResourceLimits | undefined;
  /** True where the end of one process is the end of all. */
  readonly ownsTree?: boolean;
  /** Processes of the sandbox itself. */
  readonly launcherProcesses?: number;
}

type LimitSpec = Pick<ProcessSpec, "limits" | "tighterLimits" | "workspace">;

/** What of the limits holds, and what of the defaults cannot. Throws `limit_unenforceable` for one that was demanded. */
export function chooseLimits(
  spec: Omit<LimitSpec, "workspace">,
  { mechanisms, defaults = defaultLimits() }: Pick<PlanOptions, "mechanisms" | "defaults">,
) {
  const limits: Partial<Record<LimitName, number>> = {};
  const posture: Record<string, string> = {};
  const gaps: string[] = [];
  for (const name of Object.keys(labels) as LimitName[]) {
    const demanded = [spec.limits[name], spec.tighterLimits?.[name]].filter((value) => value !== undefined);
    const values = [spec.limits[name] ?? defaults[name], spec.tighterLimits?.[name]].filter((value) => value !== undefined);
    if (values.length === 0) continue;
    const value = Math.min(...values);
    if (!Number.isFinite(value) || value <= 0)
      throw new ToolwrightError("policy_invalid", `The limit ${name} must be a number above 0, not ${value}.`);
    const mechanism = mechanismFor(name, value, mechanisms);
    if (mechanism !== undefined) {
      limits[name] = value;
      posture[labels[name]] = mechanism;
    } else if (demanded.length > 0) throw unenforceable(name, value);
    else gaps.push(missing[name](value));
  }
  return { limits: limits as ResourceLimits, posture, gaps };
}

/** Turns limits into what the spawner does. Runs of one workspace share them: several at a time get no more than one. */
export function planLimits(runId: string, spec: LimitSpec, options: PlanOptions): LimitPlan {
  const { limits, posture, gaps } = chooseLimits(spec, options);
  const by = (mechanism: string) =>
    Object.fromEntries(Object.entries(limits).filter(([name]) => posture[labels[name as LimitName]] === mechanism));
  const name = createHash("sha256")
    .update(JSON.stringify([spec.workspace, limits]))
    .digest("hex")
    .slice(0, 16);
  const { run, shared } = options.groups.plan({ run: `toolwright-${runId}`, scope: `toolwright-${process.pid}-${name}` }, by("cgroup"), {
    holdsTogether: !options.ownsTree,
  });
  const watched = [
    ...(posture.memory === "watchdog" ? ["Memory"] : []),
    ...(posture.processes === "watchdog" ? ["Processes"] : []),
    ...(posture.written ? ["Written bytes"] : []),
  ];
  return {
    ...{ limits, posture, groups: run },
    scope: { name, groups: shared, processes: limits.processes ?? 0, launcherProcesses: options.launcherProcesses ?? 0 },
    watch: {
      ...(posture.memory === "watchdog" && { memoryBytes: limits.memoryMb! * mebibyte }),
      // A limit of the kernel's on each run does not add them up.
      ...((posture.processes === "watchdog" || posture.processes === "rlimit") && { processes: limits.processes! }),
      ...(posture.written === "watchdog" && { writtenBytes: limits.writtenMb! * mebibyte }),
    },
    ...(posture.cpu === "affinity" && { processors: pickProcessors(name, Math.floor(limits.cpuPercent! / 100)) }),
    gaps: [
      ...gaps,
      ...(watched.length > 0
        ? [`${listWords(watched)} are looked at from time to time, so a fast program exceeds that limit for a moment.`]
        : []),
    ],
  };
}

function listWords(words: readonly string[]): string {
  const [first, ...others] = words.map((word, index) => (index === 0 ? word : word.toLowerCase()));
  return others.length === 0 ? first! : `${[first, ...others.slice(0, -1)].join(", ")} and ${others.at(-1)}`;
}

/** Some of those that this process may use; the same ones for all runs of a scope. */
function pickProcessors(scope: string, count: number): string {
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0";
  const all = list.split(",").flatMap((range) => {
    const [first, last = first] = range.split("-").map(Number);
    return Array.from({ length: last! - first! + 1 }, (_, index) => first! + index);
  });
  const start = Number.parseInt(scope.slice(0, 6), 16);
  return Array.from({ length: count }, (_, index) => all[(start + index) % all.length]).join(",");
}

function unenforceable(name: LimitName, value: number): ToolwrightError {
  return new ToolwrightError(
    "limit_unenforceable",
    `The policy demands ${name} ${value}, which nothing on this machine can enforce. Give this process a writable cgroup (systemd: Delegate=yes) or take the limit out of the policy.`,
    { details: { limit: name } },
  );
}

/** A limit that is lower already stays. */
const ulimit = (letter: string, value: number) =>
  `{ ulimit -${letter} ${value} || test "$(ulimit -H -${letter})" -lt ${value}; } 2>/dev/null`;

/** `ulimit` lines for a POSIX sh, where file sizes count in blocks of 512 bytes. No core files, ever. */
function ulimitScript(limits: ResourceLimits): string {
  const lines = ["ulimit -c 0"];
  if (limits.openFiles !== undefined) lines.push(ulimit("n", Math.floor(limits.openFiles)));
  if (limits.fileSizeMb !== undefined) lines.push(ulimit("f", Math.floor(limits.fileSizeMb * 2048)));
  return lines.join(" && ");
}

/**
 * A launcher in front of another program: joins the groups before anything can fork, sets the limits, and becomes the program.
 * Every variable part is an argument, never text of the script.
 */
export function launcherArgv({
  groups,
  limits,
  processors: pinnedTo,
  announce,
}: Pick<LimitPlan, "groups" | "limits" | "processors"> & { readonly announce: boolean }): [string, ...string[]] {
  // 0 is the writer itself, which spares the kernel a look at every other process.
  const join = 'while [ "$1" != -- ]; do echo 0 > "$1" || exit 125; shift; done; shift';
  const become = announce ? 'printf r >&3; exec "$@" 3>&-' : 'exec "$@"';
  const script = `${join}; ${ulimitScript(limits)} || exit 125; ${become}`;
  const pin = pinnedTo === undefined ? [] : [findSystemProgram("taskset")!, "-c", pinnedTo];
  return ["/bin/sh", "-c", script, "sh", ...groups.map(({ directory, join: file }) => `${directory}/${file}`), "--", ...pin];
}

/** What a driver says of itself: how each limit is enforced, what holds by default, and what does not. */
export function describeLimits(mechanisms: Mechanisms, defaults: ResourceLimits | undefined) {
  const { limits, gaps } = chooseLimits({ limits: {} }, { mechanisms, defaults });
  return { limits: mechanisms, defaults: limits, gaps };
}
