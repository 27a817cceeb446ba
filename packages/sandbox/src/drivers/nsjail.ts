import { ToolwrightError } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { hostRelay, proxySocket } from "../egress/relay-loopback.ts";
import { detectControlGroups } from "../process/control-group-detection.ts";
import { createDriver, type Draft, type DriverOptions, type Machine, type Missing, readShellEnd } from "./create-driver.ts";
import { findMechanisms, type LimitPlan, launcherArgv } from "./plan-limits.ts";
import { findShell, findSystemProgram, networkGaps, nodeFolders, type PreparedSpec } from "./prepare-spec.ts";
import { type Stage, stageFor, unstaged } from "./sandbox-identity.ts";
import { findHidden, findSystemEntries, type HiddenPath, type Protection, presentMounts, protectPaths, standIns } from "./sandbox-root.ts";
import { waitingScript } from "./warm-pool.ts";

export interface NsjailDriverOptions extends DriverOptions {
  /** Absolute path of nsjail; found in the system's folders when absent. */
  readonly nsjail?: string;
  /** Absolute host folders that every run may read, beside /usr, /opt and the Node that runs this. */
  readonly readable?: readonly string[];
  /** Size of the run's own /tmp, which also holds HOME. */
  readonly temporaryMb?: number;
}

const plainUser = 1000;
const missing = {
  detail: "nsjail is not installed, or bash is not.",
  remedy: "build it from https://github.com/google/nsjail and put it into /usr/local/bin",
};

interface Jailer extends Machine {
  readonly nsjail: string;
  readonly bash: string;
}

/** Runs each command in a jail of nsjail's: namespaces and a root of its own, for machines that have nsjail and no bubblewrap. */
export function createNsjailDriver(options: NsjailDriverOptions = {}): SandboxDriver {
  const recipe = {
    name: "nsjail",
    traits: { isolation: "namespaces", networks: ["none", "filtered", "host"] },
    find: () => findJailer(options),
    explainTrial: (problem: string) => ({ detail: `nsjail is there, but a trial run of it failed. ${problem}` }),
    draft: (prepared: PreparedSpec, jailer: Jailer) => draftJail(prepared, jailer, options),
    readEnd: readShellEnd,
  } as const;
  return createDriver<Jailer>(recipe, options);
}

function findJailer(options: NsjailDriverOptions): Jailer | Missing {
  const nsjail = options.nsjail ?? findSystemProgram("nsjail");
  const bash = findSystemProgram("bash");
  if (process.platform !== "linux" || nsjail === undefined || bash === undefined) return missing;
  const groups = detectControlGroups();
  const surroundings = { home: "/tmp", temporary: "/tmp", shell: findShell() };
  return { nsjail, bash, detail: nsjail, surroundings, groups, mechanisms: findMechanisms(groups, false) };
}

function draftJail(prepared: PreparedSpec, { nsjail, bash }: Jailer, options: NsjailDriverOptions): Draft {
  const { spec, workspace, owner } = prepared;
  const { egress, readable = [], temporaryMb = 512 } = options;
  const protection = protectPaths(workspace, spec);
  const hidden = findHidden(prepared);
  return {
    launcherProcesses: 1,
    awaitsCommand: true,
    placeholders: protection.entries,
    request: ({ id, plan, socket }) => {
      const argv = nsjailArgv(
        { ...prepared, baseEnv: { ...prepared.baseEnv, TOOLWRIGHT_RUN: id } },
        {
          ...{ nsjail, shell: bash, protection, hidden, readable, temporaryMb },
          ...{ user: mapOwner(owner.uid), group: mapOwner(owner.gid), stage: stageOwner(owner) },
          ...(socket !== undefined && { egress: { socket, relay: hostRelay(egress) } }),
        },
      );
      return {
        argv: [...launcherArgv({ ...plan, announce: false }), ...argv],
        ...{ env: {}, cwd: "/", readiness: "announced", leaderOwnsTree: false, launcherName: "nsjail" },
        marker: `TOOLWRIGHT_RUN=${id}`,
      };
    },
    gaps: (plan) => [...protection.gaps, ...gapsOf(prepared, plan)],
  };
}

/** A caller that is not root mounts as itself. */
function stageOwner(owner: PreparedSpec["owner"]): Stage {
  const unshare = findSystemProgram("unshare");
  return process.getuid?.() === 0 && unshare !== undefined ? stageFor(owner, unshare) : unstaged;
}

/** Nobody is root inside; who is root outside keeps that uid, without capabilities. */
function mapOwner(outside: number): IdMapping {
  return { inside: outside === 0 ? plainUser : outside, outside };
}

function gapsOf({ spec, owner }: PreparedSpec, plan: LimitPlan): string[] {
  const root = "The workspace belongs to root, so the command ran with root's uid but no capabilities. Give it to another user.";
  const unpinned = "A process can take itself off the processors that it was given.";
  return [
    ...(owner.uid === 0 ? [root] : []),
    ...networkGaps(spec),
    "There is no system call filter: a process can make sockets of all families of sockets (AF_VSOCK, too) and a user namespace, which opens more of the kernel to it.",
    ...(plan.posture.cpu === "affinity" ? [unpinned] : []),
    ...plan.gaps,
    ...(spec.writable ? ["The workspace has no quota: many files can fill its disk."] : []),
  ];
}

export interface NsjailCommandOptions {
  readonly nsjail: string;
  readonly shell: string;
  /** Inside, and who that is to the host. */
  readonly user: IdMapping;
  readonly group: IdMapping;
  readonly protection: Protection;
  readonly hidden?: readonly HiddenPath[];
  readonly readable: readonly string[];
  readonly temporaryMb: number;
  /** Socket of this run's proxy on a filtered network, and what leads to it. */
  readonly stage: Stage;
  readonly egress?: { readonly socket: string; readonly relay: readonly string[] };
}

interface IdMapping {
  readonly inside: number;
  readonly outside: number;
}

/**
 * nsjail's own defaults that matter: every namespace is new, capabilities are dropped, no_new_privs is set, the environment is empty,
 * the root is a read-only tmpfs, /proc is read-only, the jail dies with nsjail, and a command that a signal ended exits with 128 and its number.
 */
const always = [
  ...["--mode", "o", "--really_quiet", "--time_limit", "0", "--nice_level", "0", "--hostname", "sandbox"],
  // Limits of resources are set by the launcher in front, which nsjail would replace with its own.
  ...["--disable_rlimits", "--pass_fd", "3"],
];
const devices = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);
const deviceLinks = {
  "/dev/fd": "/proc/self/fd",
  "/dev/stdin": "/proc/self/fd/0",
  "/dev/stdout": "/proc/self/fd/1",
  "/dev/stderr": "/proc/self/fd/2",
};

/** Throws `spawn_failed` for a path that nsjail's notation of mounts has no way to write. */
export function nsjailArgv(
  { workspace, spec, baseEnv }: Pick<PreparedSpec, "workspace" | "spec" | "baseEnv">,
  options: NsjailCommandOptions,
): string[] {
  const { user, group, egress, protection, hidden = [] } = options;
  const binds = [
    ...rootMounts(spec.network, options),
    ...mount(workspace, { writable: spec.writable }),
    ...presentMounts(protection).flatMap(({ path, writable }) => mount(path, { writable })),
    ...hidden.flatMap(({ path, isFolder }) => mount(isFolder ? standIns().folder : standIns().file, { writable: false, target: path })),
    ...(egress ? mount(egress.socket, { writable: false, target: proxySocket }) : []),
  ];
  const sources = binds.flatMap((word) => (typeof word === "string" ? [] : [word.source]));
  const staged = options.stage(sources);
  return [
    ...staged.prefix,
    options.nsjail,
    ...always,
    ...["--user", `${user.inside}:${user.outside}:1`, "--group", `${group.inside}:${group.outside}:1`],
    ...(spec.network === "host" ? ["--disable_clone_newnet"] : []),
    ...Object.entries(baseEnv).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...binds.map((word) => (typeof word === "string" ? word : writeMount(staged.sourceOf(word.source), word.target))),
    ...["--cwd", workspace, "--", options.shell, "--noprofile", "--norc", "-c"],
    ...[waitingScript({ processLimit: undefined, hasRelay: egress !== undefined, staysFirst: true }), "sh", ...(egress?.relay ?? [])],
  ];
}

function rootMounts(network: PreparedSpec["spec"]["network"], { readable, temporaryMb }: NsjailCommandOptions): Word[] {
  const readOnly = { writable: false };
  return [
    ...findSystemEntries(network).flatMap(({ path, linkTo }) =>
      linkTo === undefined ? mount(path, readOnly) : ["--symlink", `${linkTo}:${path}`],
    ),
    ...devices.flatMap((path) => mount(path, { writable: true })),
    ...Object.entries(deviceLinks).flatMap(([path, target]) => ["--symlink", `${target}:${path}`]),
    ...sizedTmpfs("/dev/shm", 64),
    ...sizedTmpfs("/tmp", temporaryMb),
    ...[...nodeFolders(), ...readable].flatMap((path) => mount(path, readOnly)),
  ];
}

const sizedTmpfs = (path: string, megabytes: number) => ["--mount", `none:${path}:tmpfs:size=${megabytes}M,mode=1777`];

interface MountWord {
  readonly source: string;
  readonly target: string;
}
type Word = string | MountWord;

function mount(path: string, { writable, target = path }: { readonly writable: boolean; readonly target?: string }): Word[] {
  if (path.includes(":"))
    throw new ToolwrightError("spawn_failed", `The folder ${JSON.stringify(path)} cannot be mounted: its name holds a colon.`);
  return [writable ? "--bindmount" : "--bindmount_ro", { source: path, target }];
}

const writeMount = (source: string, target: string) => (source === target ? source : `${source}:${target}`);
