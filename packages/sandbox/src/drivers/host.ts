import { tmpdir } from "node:os";
import { type Logger, ToolwrightError } from "@toolwright/engine";
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
import { detectControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import type { LaunchRequest } from "../process/launch-request.ts";
import { ManagedProcess } from "../process/managed-process.ts";
import { eraseRemains } from "../process/process-tree.ts";
import { Spawner } from "../process/spawner.ts";
import { supervise } from "../process/supervise.ts";
import { findShell, programPath } from "./host-tools.ts";
import { describeLimits, findMechanisms, launcherArgv, planLimits } from "./plan-limits.ts";
import { type PreparedSpec, prepareSpec } from "./prepare-spec.ts";
import { failStart } from "./start-failure.ts";

export interface HostDriverOptions {
  /** Absolute folder that children get as HOME; defaults to the system's temporary folder, never the operator's home. */
  readonly home?: string;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** What holds where the policy names no limit. Default: half of the memory up to 4 GB, two processors, 256 processes, and more of the kind. */
  readonly defaultLimits?: ResourceLimits;
  /** `none` tracks processes without control groups, as on a machine that has none. */
  readonly controlGroups?: "detect" | "none";
  /** Hears what the system said when a command could not be started. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

const readyMs = 30_000;

/** Runs commands as the server's own user, without isolation: for machines and policies that want none. */
export function createHostDriver(options: HostDriverOptions = {}): SandboxDriver {
  const { clock = systemClock, ids = createRandomIds(), graceMs = 2000 } = options;
  const spawner = new Spawner({ onLost: eraseRemains });
  const home = options.home ?? tmpdir();
  const surroundings = { path: programPath, home, temporary: tmpdir(), shell: findShell() };
  const groups = () => (options.controlGroups === "none" ? noControlGroups : detectControlGroups());

  const probe = async (): Promise<DriverProbe> => {
    const limits = describeLimits(findMechanisms(groups(), false), options.defaultLimits);
    if (process.platform === "win32")
      return { available: false, detail: "Windows has no process groups that this driver could end.", limits: {} };
    return { available: true, detail: "Commands run as the server's own user, without isolation.", ...limits };
  };
  const start = async (spec: ProcessSpec): Promise<ProcessHandle> => {
    refuseNetwork(spec);
    const prepared = prepareSpec(spec, surroundings);
    const id = ids.next("run");
    const by = { mechanisms: findMechanisms(groups(), false), groups: groups(), defaults: options.defaultLimits };
    const plan = planLimits(id, { ...spec, workspace: prepared.workspace }, by);
    const process = new ManagedProcess(spawner, requestFor(id, prepared, plan), clock);
    const problem = await process.waitUntilReady(readyMs);
    if (problem !== undefined) throw failStart("host", problem, options.logger ?? silentLogger);
    const posture = { runtime: "host", isolation: "none", network: "host", limits: plan.posture, gaps: gapsOf(spec, plan) } as const;
    return supervise({ process, spec, posture, clock, graceMs });
  };
  return { name: "host", traits: { isolation: "none", networks: ["host"] }, probe, start, close: () => spawner.close() };
}

function refuseNetwork({ network }: ProcessSpec): void {
  if (network === "host") return;
  const message = `The policy demands network "${network}", and the host driver cannot take the network away. Set sandbox.network to host, or sandbox.mode to bwrap.`;
  throw new ToolwrightError("sandbox_unavailable", message);
}

type Plan = ReturnType<typeof planLimits>;

function requestFor(id: string, { argv, env, workdir }: PreparedSpec, plan: Plan): LaunchRequest {
  const tracked = plan.groups.length > 0;
  const marker = `TOOLWRIGHT_RUN=${id}`;
  return {
    argv: [...launcherArgv({ ...plan, announce: true }), ...argv],
    env: tracked ? env : { ...env, TOOLWRIGHT_RUN: id },
    cwd: workdir,
    readiness: "announced",
    preloaded: [],
    ...{ groups: plan.groups, scope: plan.scope, watch: plan.watch },
    ...(tracked ? {} : { marker }),
    leaderOwnsTree: false,
    placeholders: { workspace: workdir, entries: [] },
  };
}

function gapsOf(spec: ProcessSpec, plan: Plan): string[] {
  const gaps = ["The command could read and write whatever the server's own user can, and use the network."];
  if (!spec.writable) gaps.push("The workspace was not read-only.");
  if (spec.protectedPaths.length > 0) gaps.push("Protected paths could be written.");
  if (spec.hiddenPaths?.length) gaps.push("Credential files could be read: only a sandbox can hide them.");
  if (plan.groups.length === 0) {
    gaps.push("There is no control group: a process that leaves its session and clears its environment escapes the end of the run.");
  } else if (process.getuid?.() === 0) gaps.push("As root, a process can leave its control group.");
  if (plan.posture.cpu === "affinity") gaps.push("A process can take itself off the processors that it was given.");
  return [...gaps, ...plan.gaps];
}
