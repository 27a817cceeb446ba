import { type Logger, type Posture, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  createRandomIds,
  type DriverProbe,
  type Ids,
  type ProcessHandle,
  type ProcessSpec,
  type ResourceLimits,
  type SandboxDriver,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { networkGaps, noHosts } from "../egress/network-gaps.ts";
import { type EgressOptions, openGateway } from "../egress/open-gateway.ts";
import { proxyEnvironment, relayArgv } from "../egress/relay-loopback.ts";
import { type ControlGroups, detectControlGroups } from "../process/control-group-detection.ts";
import type { LaunchRequest } from "../process/launch-request.ts";
import { ManagedProcess } from "../process/managed-process.ts";
import { eraseRemains } from "../process/process-tree.ts";
import { Spawner } from "../process/spawner.ts";
import { supervise } from "../process/supervise.ts";
import { encodeCommand } from "./bwrap-command.ts";
import { findHidden } from "./hide-paths.ts";
import { findShell, findSystemProgram, programPath } from "./host-tools.ts";
import { type IdMapping, nsjailArgv } from "./nsjail-command.ts";
import { describeLimits, findMechanisms, type LimitPlan, launcherArgv, planLimits } from "./plan-limits.ts";
import { type PreparedSpec, prepareSpec } from "./prepare-spec.ts";
import { protectPaths } from "./protect-paths.ts";
import { readShellEnd } from "./read-shell-end.ts";
import { type Stage, stageFor, unstaged } from "./stage-sources.ts";
import { failStart } from "./start-failure.ts";

export interface NsjailDriverOptions {
  /** Absolute path of nsjail; found in the system's folders when absent. */
  readonly nsjail?: string;
  /** Absolute host folders that every run may read, beside /usr, /opt and the Node that runs this. */
  readonly readable?: readonly string[];
  /** Size of the run's own /tmp, which also holds HOME. */
  readonly temporaryMb?: number;
  /** What holds where the policy names no limit. Default: half of the memory up to 4 GB, two processors, 256 processes, and more of the kind. */
  readonly defaultLimits?: ResourceLimits;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** How a filtered network reaches what the policy permits. */
  readonly egress?: EgressOptions;
  /** Hears what nsjail said when a jail could not be made. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

const readyMs = 30_000;
const plainUser = 1000;
const missing = {
  detail: "nsjail is not installed, or bash is not.",
  remedy: "build it from https://github.com/google/nsjail and put it into /usr/local/bin",
};

interface Jailer {
  readonly options: NsjailDriverOptions;
  readonly nsjail: string;
  readonly bash: string;
  readonly groups: ControlGroups;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Runs each command in a jail of nsjail's: namespaces and a root of its own, for machines that have nsjail and no bubblewrap. */
export function createNsjailDriver(options: NsjailDriverOptions = {}): SandboxDriver {
  const { clock = systemClock, ids = createRandomIds() } = options;
  const spawner = new Spawner({ onLost: eraseRemains });
  let jailer: Jailer | undefined;
  const find = (): Jailer | undefined => {
    const nsjail = options.nsjail ?? findSystemProgram("nsjail");
    const bash = findSystemProgram("bash");
    if (jailer || process.platform !== "linux" || nsjail === undefined || bash === undefined) return jailer;
    jailer = { options, nsjail, bash, groups: detectControlGroups(), spawner, clock, ids };
    return jailer;
  };
  let probed: Promise<DriverProbe> | undefined;
  return {
    name: "nsjail",
    traits: { isolation: "namespaces", networks: ["none", "filtered", "host"] },
    probe: () => (probed ??= probeJailer(find())),
    start: async (spec) => {
      const found = find();
      if (found === undefined) throw new ToolwrightError("sandbox_unavailable", `${missing.detail} To get it: ${missing.remedy}`);
      return startJail(spec, found);
    },
    close: () => spawner.close(),
  };
}

async function startJail(spec: ProcessSpec, jailer: Jailer): Promise<ProcessHandle> {
  const { options, clock, groups } = jailer;
  const variables = spec.network === "filtered" ? proxyEnvironment : {};
  const prepared = prepareSpec(spec, { path: programPath, home: "/tmp", temporary: "/tmp", shell: findShell(), variables });
  const runId = jailer.ids.next("run");
  const by = { mechanisms: findMechanisms(groups, false), groups, defaults: options.defaultLimits, launcherProcesses: 1 };
  const plan = planLimits(runId, { ...spec, workspace: prepared.workspace }, by);
  const gateway = spec.network === "filtered" ? openGateway(spec.networkRules ?? noHosts, prepared.owner, options.egress) : undefined;
  try {
    const { request, gaps } = describeJail(prepared, { ...jailer, plan, runId, socket: gateway?.socket });
    const child = new ManagedProcess(jailer.spawner, request, clock);
    child.command(encodeCommand(prepared));
    const problem = await child.waitUntilReady(readyMs);
    if (problem !== undefined) throw failStart("nsjail", problem, options.logger ?? silentLogger);
    gateway?.hide();
    const posture: Posture = { runtime: "nsjail", isolation: "namespaces", network: spec.network, limits: plan.posture, gaps };
    return supervise({ process: child, spec, posture, clock, graceMs: options.graceMs ?? 2000, gateway, readEnd: readShellEnd });
  } catch (error) {
    gateway?.close();
    throw error;
  }
}

interface Jail extends Jailer {
  readonly plan: LimitPlan;
  readonly runId: string;
  readonly socket: string | undefined;
}

function describeJail(prepared: PreparedSpec, { options, nsjail, bash, plan, runId, socket }: Jail) {
  const { spec, workspace, owner } = prepared;
  const protection = protectPaths(workspace, spec);
  const hidden = findHidden(prepared);
  const relay = relayArgv({ socat: options.egress?.relay === "node" ? undefined : findSystemProgram("socat"), node: process.execPath });
  const marker = `TOOLWRIGHT_RUN=${runId}`;
  const argv = nsjailArgv(
    { ...prepared, baseEnv: { ...prepared.baseEnv, TOOLWRIGHT_RUN: runId } },
    {
      ...{ nsjail, shell: bash, protection, hidden, readable: options.readable ?? [], temporaryMb: options.temporaryMb ?? 512 },
      ...{ user: mapOwner(owner.uid), group: mapOwner(owner.gid) },
      stage: stageOwner(owner),
      ...(socket !== undefined && { egress: { socket, relay } }),
    },
  );
  const request: LaunchRequest = {
    argv: [...launcherArgv({ ...plan, announce: false }), ...argv],
    ...{
      env: {},
      cwd: "/",
      readiness: "announced",
      preloaded: [],
      groups: plan.groups,
      scope: plan.scope,
      watch: plan.watch,
      awaitsCommand: true,
      marker,
      leaderOwnsTree: false,
      launcherName: "nsjail",
    },
    placeholders: { workspace, entries: protection.entries },
  };
  return { request, gaps: [...protection.gaps, ...gapsOf(spec, { plan, owner })] };
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

function gapsOf(spec: ProcessSpec, { plan, owner }: { readonly plan: LimitPlan; readonly owner: PreparedSpec["owner"] }): string[] {
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

async function probeJailer(jailer: Jailer | undefined): Promise<DriverProbe> {
  if (jailer === undefined) return { available: false, limits: {}, ...missing };
  const spec: ProcessSpec = {
    ...{ program: { argv: ["/bin/true"] }, workspace: "/usr", workdir: ".", writable: false, env: {}, network: "none" },
    ...{ limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: readyMs },
  };
  try {
    const { exit } = await (await startJail(spec, jailer)).exited;
    if (exit.exitCode !== 0) throw new Error(`a trial run ended with ${exit.exitCode ?? exit.signal}`);
    return {
      available: true,
      detail: jailer.nsjail,
      ...describeLimits(findMechanisms(jailer.groups, false), jailer.options.defaultLimits),
    };
  } catch (error) {
    return { available: false, detail: `nsjail is there, but a trial run of it failed. ${(error as Error).message}`, limits: {} };
  }
}
