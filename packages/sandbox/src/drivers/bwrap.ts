import { readFileSync } from "node:fs";
import { release } from "node:os";
import { ToolwrightError } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { hostRelay, proxySocket } from "../egress/relay-loopback.ts";
import { detectControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import { runProgram } from "../process/run-program.ts";
import { createDriver, type Draft, type DriverOptions, type Machine, type Missing, readShellEnd } from "./create-driver.ts";
import { findMechanisms, type LimitPlan, launcherArgv, type Mechanisms } from "./plan-limits.ts";
import { findSystemProgram, networkGaps, type PreparedSpec } from "./prepare-spec.ts";
import { chooseIdentity, readOnlyDevices, type SandboxIdentity, type Stage, stageFor, unstaged } from "./sandbox-identity.ts";
import { createSandboxRoots, findHidden, type HiddenPath, type Protection, protectPaths, sandboxHome, standIns } from "./sandbox-root.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { waitingScript } from "./warm-pool.ts";

/** Runs each command in namespaces of its own with bubblewrap: its own root, process tree and, by default, no network. */
export function createBwrapDriver(options: BwrapDriverOptions = {}): SandboxDriver {
  const recipe = {
    name: "bwrap",
    traits: { isolation: "namespaces", networks: ["none", "filtered", "host"] },
    warm: { size: options.warm ?? 4, idleMs: options.warmIdleMs ?? 30_000 },
    find: () => findBwrap(options),
    explainTrial: explainFailure,
    draft: (prepared: PreparedSpec, machine: BwrapMachine) => draftSandbox(prepared, machine, options),
    readEnd: readShellEnd,
  } as const;
  return createDriver<BwrapMachine>(recipe, options);
}

/** bubblewrap itself, and the first process of the sandbox. */
const launcherProcesses = 2;

function draftSandbox(prepared: PreparedSpec, machine: BwrapMachine, options: BwrapDriverOptions): Draft {
  const { spec, workspace, owner } = prepared;
  const { tools, seccomp } = machine;
  const caller = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const identity = chooseIdentity({ caller, owner, setpriv: tools.setpriv });
  const protection = protectPaths(workspace, spec);
  const root = machine.rootFor({ network: spec.network, runsAsRoot: identity.runsAsRoot });
  const stage = caller.uid === 0 ? stageFor(owner, tools.unshare!) : unstaged;
  const hidden = findHidden(prepared);
  const relay = spec.network === "filtered" ? hostRelay(options.egress) : [];
  const filterFor = ({ cpu }: LimitPlan["posture"]) => seccomp[cpu === "affinity" ? "pinned" : "plain"];
  const argvFor = ({ limits, posture }: Pick<LimitPlan, "limits" | "posture">, socket?: string) =>
    bwrapArgv(prepared, {
      ...{ bwrap: tools.bwrap, shell: tools.bash, identity, protection, hidden, root, stage, relay },
      innerSandbox: options.innerSandbox ?? false,
      seccomp: filterFor(posture),
      processLimit: posture.processes === "rlimit" ? limits.processes : undefined,
      ...(socket !== undefined && { socket }),
    });
  return {
    ...{ ownsTree: true, launcherProcesses, awaitsCommand: true },
    mechanisms: mechanismsOf(machine, identity.runsAsRoot),
    placeholders: protection.entries,
    key: (chosen) => JSON.stringify([argvFor(chosen), chosen.limits, protection.mark, hidden]),
    request: ({ plan, socket }) => {
      // One that is made ahead seals what stands at the paths by then, which must be what its key says.
      if (protectPaths(workspace, spec).mark !== protection.mark)
        throw new ToolwrightError("spawn_failed", "Git metadata was replaced while the command started. Make the call again.");
      const filter = filterFor(plan.posture);
      return {
        argv: [...launcherArgv({ ...plan, announce: false }), ...argvFor(plan, socket)],
        ...{ env: {}, cwd: "/", readiness: "announced", leaderOwnsTree: true, launcherName: "bwrap" },
        preloaded: filter === undefined ? [] : [filter.toString("base64")],
      };
    },
    gaps: (plan) => [...identity.gaps, ...protection.gaps, ...gapsOf(machine, prepared, plan)],
  };
}

function gapsOf({ seccomp }: BwrapMachine, { spec }: PreparedSpec, plan: LimitPlan): string[] {
  return [
    ...networkGaps(spec),
    ...(seccomp.plain === undefined ? [`There is no system call filter for ${process.arch}.`] : []),
    ...plan.gaps,
    ...(spec.writable ? ["The workspace has no quota: many files can fill its disk."] : []),
  ];
}

interface BwrapCommandOptions {
  readonly bwrap: string;
  readonly shell: string;
  readonly identity: SandboxIdentity;
  readonly protection: Protection;
  readonly hidden: readonly HiddenPath[];
  /** From `createSandboxRoots`. */
  readonly root: readonly string[];
  readonly seccomp: Buffer | undefined;
  readonly stage: Stage;
  readonly innerSandbox: boolean;
}

/** The host's name is `localhost`: programs look their own name up, and every other would be a question to the network. */
const isolation = [
  ...["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"],
  ...["--cap-drop", "ALL", "--clearenv", "--hostname", "localhost"],
];
const seccompDescriptor = "4";

const isBind = (word: string | undefined) => word !== undefined && /^--(?:ro-)?bind(?:-try)?$/.test(word);

/** Everything that shapes a sandbox, without what one run of it is given. */
function bwrapArgv(
  prepared: Pick<PreparedSpec, "workspace" | "spec" | "baseEnv">,
  options: BwrapCommandOptions & {
    readonly processLimit: number | undefined;
    /** Command that runs the relay of a filtered network. */
    readonly relay: readonly string[];
    /** Socket of this run on a filtered network. */
    readonly socket?: string;
  },
): string[] {
  const { workspace, spec, baseEnv } = prepared;
  const { identity, protection, hidden, seccomp, relay, socket, processLimit } = options;
  const binds = [
    ...options.root,
    ...[spec.writable ? "--bind" : "--ro-bind", workspace, workspace],
    ...protection.mounts.flatMap(({ path, writable, optional }) => [
      `${writable ? "--bind" : "--ro-bind"}${optional ? "-try" : ""}`,
      path,
      path,
    ]),
    // Last, so that no mount of a folder above uncovers them.
    ...hidden.flatMap(({ path, isFolder }) => ["--ro-bind", isFolder ? standIns().folder : standIns().file, path]),
    ...(socket === undefined ? [] : ["--ro-bind", socket, proxySocket]),
  ];
  const staged = options.stage(binds.filter((_, index) => isBind(binds[index - 1])));
  return [
    ...staged.prefix,
    ...identity.prefix,
    options.bwrap,
    ...isolation,
    ...(options.innerSandbox ? [] : ["--disable-userns"]),
    ...(spec.network === "host" ? ["--share-net"] : []),
    ...["--uid", String(identity.uid), "--gid", String(identity.gid)],
    ...Object.entries(baseEnv).flatMap(([name, value]) => ["--setenv", name, value]),
    ...binds.map((word, index) => (isBind(binds[index - 1]) ? staged.sourceOf(word) : word)),
    ...["--remount-ro", "/", "--chdir", workspace],
    ...(seccomp === undefined ? [] : ["--seccomp", seccompDescriptor]),
    ...["--", options.shell, "--noprofile", "--norc", "-c", waitingScript({ processLimit, hasRelay: relay.length > 0 }), "sh", ...relay],
  ];
}

export interface BwrapDriverOptions extends DriverOptions {
  /** Absolute path of bubblewrap; found in the system's folders when absent. */
  readonly bwrap?: string;
  /** Absolute host folders that every run may read, beside /usr, /opt and the Node that runs this. */
  readonly readable?: readonly string[];
  /** Size of the run's own /tmp, which also holds HOME; counts against the memory limit. */
  readonly temporaryMb?: number;
  /** Sandboxes kept waiting for a command, over all workspaces and policies; 0 for none. */
  readonly warm?: number;
  /** Milliseconds until a waiting sandbox that nobody took is ended. */
  readonly warmIdleMs?: number;
  /**
   * True for programs that confine their own children further, as Chromium does: they may make namespaces inside the run's. They reach no more by
   * it than the run does.
   */
  readonly innerSandbox?: boolean;
  /** `none` leaves control groups alone, as on a machine that has none. */
  readonly controlGroups?: "detect" | "none";
}

/** What was found on this machine, once per driver. */
interface BwrapMachine extends Machine {
  readonly tools: BwrapTools;
  /** `pinned` where a run must not choose its processors. */
  readonly seccomp: { readonly plain: Buffer | undefined; readonly pinned: Buffer | undefined };
  readonly rootFor: ReturnType<typeof createSandboxRoots>;
}

async function findBwrap(options: BwrapDriverOptions): Promise<BwrapMachine | Missing> {
  const tools = findTools(options.bwrap);
  if (!("bwrap" in tools)) return tools;
  const version = await findVersion(tools.bwrap);
  if (typeof version !== "string") return version;
  const isRoot = process.getuid?.() === 0;
  const nested = options.innerSandbox ?? false;
  const groups = options.controlGroups === "none" ? noControlGroups : detectControlGroups();
  const mechanisms = mechanismsOf({ groups }, isRoot);
  const remedy = "Run under systemd with Delegate=yes to get memory, process and CPU limits from control groups.";
  return {
    ...{ tools, groups, mechanisms, detail: version },
    ...(mechanisms.cpuPercent === "cgroup" ? {} : { remedy }),
    surroundings: { home: sandboxHome, temporary: "/tmp", shell: tools.bash },
    spawnerPrefix: isRoot ? readOnlyDevices(tools.unshare!) : [],
    seccomp: { plain: seccompFilter({ nested }), pinned: seccompFilter({ nested, pinned: true }) },
    rootFor: createSandboxRoots({ readable: options.readable ?? [], temporaryMb: options.temporaryMb ?? 512, innerSandbox: nested }),
  };
}

/** A user namespace counts its processes for itself since Linux 5.14; root is exempt from the count. */
function countsProcesses(runsAsRoot: boolean): boolean {
  const [major, minor] = release().split(".").map(Number);
  return !runsAsRoot && (major! > 5 || (major === 5 && minor! >= 14));
}

function mechanismsOf({ groups }: Pick<Machine, "groups">, runsAsRoot: boolean): Mechanisms {
  return findMechanisms(groups, countsProcesses(runsAsRoot));
}

const trialMs = 10_000;

interface BwrapTools {
  readonly bwrap: string;
  readonly bash: string;
  /** Only for a root caller. */
  readonly setpriv: string | undefined;
  readonly unshare: string | undefined;
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** The programs that a bwrap run is made of, or what is missing. */
export function findTools(bwrapPath: string | undefined): BwrapTools | Missing {
  if (process.platform !== "linux")
    return { detail: `bubblewrap needs Linux; this is ${process.platform}. Use the driver docker, or host without isolation.` };
  const bwrap = bwrapPath ?? findSystemProgram("bwrap");
  if (bwrap === undefined) return { detail: "bubblewrap is not installed.", remedy: "apt-get install bubblewrap" };
  const bash = findSystemProgram("bash");
  if (bash === undefined) return { detail: "bash is not installed; the sandbox starts commands through it.", remedy: "apk add bash" };
  const tools = { bwrap, bash, setpriv: findSystemProgram("setpriv"), unshare: findSystemProgram("unshare") };
  const complete = process.getuid?.() !== 0 || (tools.setpriv !== undefined && tools.unshare !== undefined);
  return complete
    ? tools
    : { detail: "This process is root, and setpriv or unshare, which drop root, are missing.", remedy: "apt-get install util-linux" };
}

/** "bubblewrap 0.8.0" or what went wrong. `--disable-userns` came with 0.8. */
async function findVersion(bwrap: string): Promise<string | Missing> {
  try {
    const { stdout } = await runProgram([bwrap, "--version"], { limitMs: trialMs });
    const version = stdout.trim();
    const [major, minor] = version.split(" ").at(-1)!.split(".").map(Number);
    if (major! > 0 || minor! >= 8) return version;
    return { detail: `${version} is too old: 0.8 or later is needed.`, remedy: "apt-get install bubblewrap" };
  } catch {
    return { detail: `bubblewrap is not at ${bwrap}, or does not run.`, remedy: "apt-get install bubblewrap" };
  }
}

/** Why a sandbox could not be made here, in the order of likelihood. */
function explainFailure(problem: string): Missing {
  if (readSetting("/proc/sys/kernel/unprivileged_userns_clone") === "0")
    return { detail: "Unprivileged user namespaces are disabled.", remedy: "sysctl -w kernel.unprivileged_userns_clone=1" };
  if (readSetting("/proc/sys/user/max_user_namespaces") === "0")
    return { detail: "User namespaces are disabled.", remedy: "sysctl -w user.max_user_namespaces=15000" };
  if (readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1")
    return {
      detail: "AppArmor does not let bubblewrap make user namespaces.",
      remedy: "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that permits userns",
    };
  const inContainer = process.getuid?.() === 0 ? " A container needs CAP_SYS_ADMIN, or run Toolwright as another user in it." : "";
  return { detail: `bubblewrap is there, but a trial run of it failed. ${problem}${inContainer}` };
}
