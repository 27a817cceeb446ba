import { type ResourceLimits, ToolwrightError } from "@toolwright/engine";
import type { ControlGroups } from "../process/control-group-detection.ts";
import type { ControlGroup } from "../process/launch-request.ts";

type LimitName = keyof ResourceLimits;
/** How each limit is enforced here; a missing one cannot be. */
export type Mechanisms = Readonly<Partial<Record<LimitName, string>>>;

const labels: Readonly<Record<LimitName, string>> = {
  memoryMb: "memory",
  cpuPercent: "cpu",
  processes: "processes",
  fileSizeMb: "fileSize",
  openFiles: "openFiles",
};

/** What this machine can enforce. `processesByRlimit`: where the count is of the run alone (a user namespace, Linux 5.14). */
export function findMechanisms(groups: ControlGroups, processesByRlimit: boolean): Mechanisms {
  const linux = process.platform === "linux";
  return {
    ...(groups.can("memory") ? { memoryMb: "cgroup" } : linux ? { memoryMb: "watchdog" } : {}),
    ...(groups.can("cpu") ? { cpuPercent: "cgroup" } : {}),
    ...(groups.can("pids") ? { processes: "cgroup" } : processesByRlimit ? { processes: "rlimit" } : {}),
    fileSizeMb: "rlimit",
    openFiles: "rlimit",
  };
}

export interface LimitPlan {
  readonly groups: readonly ControlGroup[];
  readonly memoryWatchdogBytes?: number;
  /** For `Posture.limits`. */
  readonly posture: Readonly<Record<string, string>>;
}

/** Turns limits into what the spawner does; `ownsTree` where the end of one process is the end of all. Throws `limit_unenforceable` instead of leaving one out. */
export function planLimits(
  runId: string,
  limits: ResourceLimits,
  by: { readonly mechanisms: Mechanisms; readonly groups: ControlGroups; readonly ownsTree?: boolean },
): LimitPlan {
  const posture: Record<string, string> = {};
  for (const [name, value] of Object.entries(limits) as [LimitName, number | undefined][]) {
    if (value === undefined) continue;
    const mechanism = by.mechanisms[name];
    if (mechanism === undefined) throw unenforceable(name, value);
    if (!Number.isFinite(value) || value <= 0)
      throw new ToolwrightError("policy_invalid", `The limit ${name} must be a number above 0, not ${value}.`);
    posture[labels[name]] = mechanism;
  }
  const groups = by.groups.plan(`toolwright-${runId}`, limits, { holdsTogether: !by.ownsTree });
  if (limits.memoryMb === undefined || by.mechanisms.memoryMb !== "watchdog") return { groups, posture };
  return { groups, posture, memoryWatchdogBytes: limits.memoryMb * 1024 * 1024 };
}

function unenforceable(name: LimitName, value: number): ToolwrightError {
  return new ToolwrightError(
    "limit_unenforceable",
    `The policy demands ${name} ${value}, which nothing on this machine can enforce. Give this process a writable cgroup (systemd: Delegate=yes) or take the limit out of the policy.`,
    { details: { limit: name } },
  );
}

/** `ulimit` lines for a POSIX sh, where file sizes count in blocks of 512 bytes. No core files, ever. */
export function ulimitScript(limits: ResourceLimits): string {
  const lines = ["ulimit -c 0"];
  if (limits.openFiles !== undefined) lines.push(`ulimit -n ${Math.floor(limits.openFiles)}`);
  if (limits.fileSizeMb !== undefined) lines.push(`ulimit -f ${Math.floor(limits.fileSizeMb * 2048)}`);
  return lines.join(" && ");
}

/**
 * A launcher in front of another program: joins the groups before anything can fork, sets the limits, and becomes the program.
 * Every variable part is an argument, never text of the script.
 */
export function launcherArgv(options: {
  readonly groups: readonly ControlGroup[];
  readonly limits: ResourceLimits;
  readonly announce: boolean;
}): [string, ...string[]] {
  const join = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift';
  const become = options.announce ? 'printf r >&3; exec "$@" 3>&-' : 'exec "$@"';
  const script = `${join}; ${ulimitScript(options.limits)} || exit 125; ${become}`;
  return ["/bin/sh", "-c", script, "sh", ...options.groups.map(({ directory }) => directory), "--"];
}
