import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ResourceLimits } from "@toolwright/engine/ports";
import { withDescriptors } from "./inherited-descriptors.ts";
import type { ControlGroup } from "./launch-request.ts";

const controllerNames = ["memory", "pids", "cpu"] as const;
type Controller = (typeof controllerNames)[number];

interface Hierarchy {
  readonly version: 1 | 2;
  /** Folder in which a child group could be made and a process be moved to it. */
  readonly parent: string;
  readonly controllers: readonly Controller[];
  /** True when `cgroup.kill` is there (Linux 5.14). */
  readonly atomicKill: boolean;
  /** True when the kernel accounts for swap. */
  readonly swap: boolean;
}

/** The cgroup file systems that this process may really use, found by making a group and looking at it. */
export interface ControlGroups {
  readonly hierarchies: readonly Hierarchy[];
  can(controller: Controller): boolean;
  /**
   * Groups that enforce the limits of one run, and hold it together when nothing else does; each inside one that enforces them on all runs
   * of a scope. Empty when nothing is writable. No more than needed: each costs a run some time.
   */
  plan(names: GroupNames, limits: ResourceLimits, options: { readonly holdsTogether: boolean }): PlannedGroups;
}

interface GroupNames {
  readonly run: string;
  readonly scope: string;
}

interface PlannedGroups {
  readonly run: ControlGroup[];
  readonly shared: ControlGroup[];
}

/** A thread of v1 that joins by itself waits for nobody; a process would wait for a grace period of the kernel's. */
const joinFile: Readonly<Record<1 | 2, string>> = { 1: "tasks", 2: "cgroup.procs" };
const controllerFile: Readonly<Record<1 | 2, Readonly<Record<Controller, string>>>> = {
  1: { memory: "memory.limit_in_bytes", pids: "pids.max", cpu: "cpu.cfs_quota_us" },
  2: { memory: "memory.max", pids: "pids.max", cpu: "cpu.max" },
};
const swapFile: Readonly<Record<1 | 2, string>> = { 1: "memory.memsw.limit_in_bytes", 2: "memory.swap.max" };
const cpuPeriodMicroseconds = 100_000;

interface Mount {
  readonly point: string;
  readonly root: string;
  readonly version: 1 | 2;
  /** Names of a hierarchy of v1 in `/proc/self/cgroup`. */
  readonly names: readonly string[];
}

/** proc_pid_mountinfo(5): id, parent, device, root, mount point, options, optional fields, "-", type, source, super options. */
function readMounts(): Mount[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [left, right] = line.split(" - ");
      const [, , , root, point] = left!.split(" ");
      const [type, , superOptions] = (right ?? "").split(" ");
      if (type !== "cgroup" && type !== "cgroup2") return [];
      return { point: point!, root: root!, version: type === "cgroup2" ? 2 : 1, names: (superOptions ?? "").split(",") } satisfies Mount;
    });
}

/** Our own group in that hierarchy, as a folder; proc_pid_cgroup: id, controllers, path. */
function ownGroup(mount: Mount): string | undefined {
  for (const line of readFileSync("/proc/self/cgroup", "utf8").split("\n")) {
    const [id, names, ...path] = line.split(":");
    const ours = mount.version === 2 ? id === "0" : names !== "" && names!.split(",").every((name) => mount.names.includes(name));
    if (!ours || path.length === 0) continue;
    const inMount = path.join(":");
    const below = mount.root !== "/" && inMount.startsWith(mount.root) ? inMount.slice(mount.root.length) : inMount;
    const folder = join(mount.point, below);
    return existsSync(folder) ? folder : mount.point;
  }
  return undefined;
}

/** Makes a group and lets a process join it: in v2 a folder may be writable and a move into it still be refused. */
function tryParent(parent: string, version: 1 | 2): Hierarchy | undefined {
  const probe = join(parent, `toolwright-probe-${process.pid}`);
  try {
    mkdirSync(probe);
  } catch {
    return undefined;
  }
  const has = (file: string) => existsSync(join(probe, file));
  try {
    const joining = ["-c", 'echo $$ > "$1"', "sh", join(probe, "cgroup.procs")];
    withDescriptors(["ignore", "ignore", "ignore"], (stdio) => execFileSync("/bin/sh", joining, { env: {}, stdio }));
    const controllers = controllerNames.filter((name) => has(controllerFile[version][name]));
    return { version, parent, controllers, atomicKill: has("cgroup.kill"), swap: has(swapFile[version]) };
  } catch {
    return undefined;
  } finally {
    rmdirSync(probe);
  }
}

/** Own group first, then its ancestors: in v2 a group with processes of its own cannot give controllers to children. */
function findHierarchy(mount: Mount): Hierarchy | undefined {
  let best: Hierarchy | undefined;
  for (let folder = ownGroup(mount); folder?.startsWith(mount.point); folder = dirname(folder)) {
    const found = tryParent(folder, mount.version);
    if (found && (best === undefined || found.controllers.length > best.controllers.length)) best = found;
    if (mount.version === 1 && best !== undefined) break;
  }
  return best;
}

function settingsFor({ version, controllers, swap }: Hierarchy, limits: ResourceLimits): [string, string][] {
  const settings: [string, string][] = [];
  if (limits.memoryMb !== undefined && controllers.includes("memory")) {
    const bytes = String(Math.round(limits.memoryMb * 1024 * 1024));
    settings.push([controllerFile[version].memory, bytes]);
    // v1 limits memory and swap together, v2 swap alone.
    if (swap) settings.push([swapFile[version], version === 1 ? bytes : "0"]);
  }
  if (limits.processes !== undefined && controllers.includes("pids")) settings.push(["pids.max", String(limits.processes)]);
  if (limits.cpuPercent !== undefined && controllers.includes("cpu")) {
    const quota = Math.max(1000, Math.round((limits.cpuPercent / 100) * cpuPeriodMicroseconds));
    if (version === 2) settings.push(["cpu.max", `${quota} ${cpuPeriodMicroseconds}`]);
    else settings.push(["cpu.cfs_period_us", String(cpuPeriodMicroseconds)], ["cpu.cfs_quota_us", String(quota)]);
  }
  return settings;
}

/** For machines without cgroups, and for those who want none. */
export const noControlGroups: ControlGroups = { hierarchies: [], can: () => false, plan: () => ({ run: [], shared: [] }) };

let detected: ControlGroups | undefined;

/** Looks once at what this machine lets this process use: each try starts a program. */
export function detectControlGroups(): ControlGroups {
  detected ??= lookForControlGroups();
  return detected;
}

const describe = ({ version }: Hierarchy, settings: ControlGroup["settings"]) => ({ settings, join: joinFile[version] });

/** In v2 a group says which controllers its children have. */
function delegation({ version, controllers }: Hierarchy): ControlGroup["settings"] {
  return version === 2 && controllers.length > 0 ? [["cgroup.subtree_control", controllers.map((name) => `+${name}`).join(" ")]] : [];
}

function lookForControlGroups(): ControlGroups {
  let hierarchies: Hierarchy[] = [];
  try {
    const useful = ({ version, names }: Mount) => version === 2 || controllerNames.some((name) => names.includes(name));
    hierarchies = readMounts().flatMap((mount) => (useful(mount) ? (findHierarchy(mount) ?? []) : []));
  } catch {
    // No cgroups (another system, or a hidden /proc): nothing to use.
  }
  const tracker = hierarchies.find(({ atomicKill }) => atomicKill) ?? hierarchies.find(({ controllers }) => controllers.includes("pids"));
  return {
    hierarchies,
    can: (controller) => hierarchies.some(({ controllers }) => controllers.includes(controller)),
    plan: (names, limits, { holdsTogether }) => {
      const used = hierarchies.flatMap((hierarchy) => {
        const settings = settingsFor(hierarchy, limits);
        return (holdsTogether && hierarchy === tracker) || settings.length > 0 ? [{ hierarchy, settings }] : [];
      });
      return {
        run: used.map(({ hierarchy, settings }) => ({
          ...describe(hierarchy, settings),
          directory: join(hierarchy.parent, names.scope, names.run),
        })),
        shared: used.map(({ hierarchy, settings }) => ({
          ...describe(hierarchy, [...settings, ...delegation(hierarchy)]),
          directory: join(hierarchy.parent, names.scope),
        })),
      };
    },
  };
}
