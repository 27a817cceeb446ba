import type { SandboxDriver } from "@toolwright/engine/ports";
import { networkGaps } from "../egress/network-gaps.ts";
import { hostRelay } from "../egress/relay-loopback.ts";
import { detectControlGroups } from "../process/control-group-detection.ts";
import { createDriver, type Draft, type DriverOptions, type Machine, type Missing, readShellEnd } from "./create-driver.ts";
import { findHidden } from "./hide-paths.ts";
import { findShell, findSystemProgram } from "./host-tools.ts";
import { type IdMapping, nsjailArgv } from "./nsjail-command.ts";
import { findMechanisms, type LimitPlan, launcherArgv } from "./plan-limits.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import { protectPaths } from "./protect-paths.ts";
import { type Stage, stageFor, unstaged } from "./stage-sources.ts";

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
