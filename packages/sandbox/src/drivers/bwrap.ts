import { type Posture, ToolwrightError } from "@toolwright/engine";
import type { DriverProbe, ProcessHandle, ProcessSpec, SandboxDriver } from "@toolwright/engine/ports";
import { networkGaps, noHosts } from "../egress/network-gaps.ts";
import { type Gateway, openGateway } from "../egress/open-gateway.ts";
import { proxyEnvironment } from "../egress/relay-loopback.ts";
import { ManagedProcess } from "../process/managed-process.ts";
import { supervise } from "../process/supervise.ts";
import { type BwrapCommandOptions, bwrapArgv, bwrapRequest, encodeCommand } from "./bwrap-command.ts";
import { type BwrapDriverOptions, type Machine, mechanismsOf, prepareMachine, type UsableMachine } from "./bwrap-machine.ts";
import { findHidden } from "./hide-paths.ts";
import { programPath } from "./host-tools.ts";
import { chooseLimits, describeLimits, type LimitPlan, planLimits } from "./plan-limits.ts";
import { type PreparedSpec, prepareSpec } from "./prepare-spec.ts";
import { explainFailure, type Missing } from "./probe-bwrap.ts";
import { protectPaths } from "./protect-paths.ts";
import { readShellEnd } from "./read-shell-end.ts";
import { chooseIdentity } from "./sandbox-identity.ts";
import { sandboxHome } from "./sandbox-root.ts";
import { stageFor, unstaged } from "./stage-sources.ts";
import { failStart } from "./start-failure.ts";
import { WarmPool } from "./warm-pool.ts";

const readyMs = 30_000;

/** Runs each command in namespaces of its own with bubblewrap: its own root, process tree and, by default, no network. */
export function createBwrapDriver(options: BwrapDriverOptions = {}): SandboxDriver {
  let machine: Promise<Machine> | undefined;
  const ready = () => (machine ??= prepareMachine(options));
  let probed: Promise<DriverProbe> | undefined;
  const start = async (spec: ProcessSpec): Promise<ProcessHandle> => {
    const found = await ready();
    if (!found.tools) throw unavailable(found.missing);
    return startIn(found, spec);
  };
  return {
    name: "bwrap",
    traits: { isolation: "namespaces", networks: ["none", "filtered", "host"] },
    probe: () => (probed ??= ready().then(probeMachine)),
    start,
    close: async () => {
      if (machine === undefined) return;
      const found = await machine;
      if (!found.tools) return;
      found.pool.close();
      await found.spawner.close();
    },
  };
}

function unavailable({ detail, remedy }: Missing): ToolwrightError {
  return new ToolwrightError("sandbox_unavailable", `${detail}${remedy === undefined ? "" : ` To get it: ${remedy}`}`);
}

async function startIn(machine: UsableMachine, spec: ProcessSpec): Promise<ProcessHandle> {
  const { tools, clock, options } = machine;
  const variables = spec.network === "filtered" ? proxyEnvironment : {};
  const surroundings = { path: programPath, home: sandboxHome, temporary: "/tmp", shell: tools.bash, variables };
  const prepared = prepareSpec(spec, surroundings);
  const caller = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const identity = chooseIdentity({ caller, owner: prepared.owner, setpriv: tools.setpriv });
  const protection = protectPaths(prepared.workspace, spec);
  const root = machine.rootFor({ network: spec.network, runsAsRoot: identity.runsAsRoot });
  const stage = caller.uid === 0 ? stageFor(prepared.owner, tools.unshare!) : unstaged;
  const hidden = findHidden(prepared);
  const command = { bwrap: tools.bwrap, shell: tools.bash, identity, protection, hidden, root, stage };
  const {
    process: child,
    plan: { limits, gateway },
  } = takeSandbox(machine, prepared, command);
  child.command(encodeCommand(prepared));
  const problem = await child.waitUntilReady(readyMs);
  if (problem !== undefined) throw failStart("bwrap", problem, machine.logger);
  const gaps = [...identity.gaps, ...protection.gaps, ...gapsOf(machine, spec, limits)];
  const posture: Posture = { runtime: "bwrap", isolation: "namespaces", network: spec.network, limits: limits.posture, gaps };
  return supervise({ process: child, spec, posture, clock, graceMs: options.graceMs ?? 2000, gateway, readEnd: readShellEnd });
}

/** bubblewrap itself, and the first process of the sandbox. */
const launcherProcesses = 2;

function takeSandbox(machine: UsableMachine, prepared: PreparedSpec, bare: Omit<BwrapCommandOptions, "seccomp">) {
  const { workspace, spec } = prepared;
  const mechanisms = mechanismsOf(machine, bare.identity.runsAsRoot);
  const byMachine = { mechanisms, groups: machine.groups, defaults: machine.options.defaultLimits, ownsTree: true, launcherProcesses };
  const { limits: chosen, posture } = chooseLimits(spec, byMachine);
  const command = { ...bare, seccomp: machine.seccomp[posture.cpu === "affinity" ? "pinned" : "plain"] };
  const processLimit = mechanisms.processes === "rlimit" ? chosen.processes : undefined;
  const filtered = spec.network === "filtered";
  const shape = { ...command, processLimit, relay: filtered ? machine.relay : [] };
  const rules = filtered ? (spec.networkRules ?? noHosts) : undefined;
  const key = JSON.stringify([bwrapArgv(prepared, shape), chosen, rules, command.protection.mark, command.hidden]);
  return machine.pool.take(key, () => {
    // One that is made ahead seals what stands at the paths by then, which must be what its key says.
    if (protectPaths(workspace, spec).mark !== command.protection.mark)
      throw new ToolwrightError("spawn_failed", "Git metadata was replaced while the command started. Make the call again.");
    const limits = planLimits(machine.ids.next("run"), { ...spec, workspace }, byMachine);
    const gateway = rules && openGateway(rules, prepared.owner, machine.options.egress);
    const argv = bwrapArgv(prepared, { ...shape, ...(gateway && { socket: gateway.socket }) });
    const request = bwrapRequest(workspace, { plan: limits, argv, seccomp: command.seccomp, protection: command.protection });
    const process = new ManagedProcess(machine.spawner, request, machine.clock);
    if (gateway) followSandbox(process, gateway);
    return { plan: { limits, gateway }, process };
  });
}

/** Also one that nobody takes ends its gateway. */
function followSandbox(process: ManagedProcess, gateway: Gateway): void {
  void process.ready.then(gateway.hide);
  void process.ended.then(gateway.close);
}

function gapsOf(machine: UsableMachine, spec: ProcessSpec, plan: LimitPlan): string[] {
  const gaps: string[] = [];
  gaps.push(...networkGaps(spec));
  if (machine.seccomp.plain === undefined) gaps.push(`There is no system call filter for ${process.arch}.`);
  gaps.push(...plan.gaps);
  if (spec.writable) gaps.push("The workspace has no quota: many files can fill its disk.");
  return gaps;
}

async function probeMachine(machine: Machine): Promise<DriverProbe> {
  if (!machine.tools) return { available: false, limits: {}, ...machine.missing };
  const { limits, ...defaults } = describeLimits(mechanismsOf(machine, process.getuid?.() === 0), machine.options.defaultLimits);
  const problem = await tryOnce(machine);
  if (problem !== undefined) return { available: false, limits: {}, ...explainFailure(problem) };
  const weak = limits.cpuPercent !== "cgroup";
  const remedy = "Run under systemd with Delegate=yes to get memory, process and CPU limits from control groups.";
  return { available: true, detail: machine.version, limits, ...defaults, ...(weak ? { remedy } : {}) };
}

/** The whole way once: a version number says nothing about what the kernel permits. */
async function tryOnce(machine: UsableMachine): Promise<string | undefined> {
  const workspace = "/usr";
  const spec: ProcessSpec = {
    ...{ program: { argv: ["/bin/true"] }, workspace, workdir: ".", writable: false, env: {}, network: "none" },
    ...{ limits: {}, protectedPaths: [], stdin: "closed", timeoutMs: readyMs },
  };
  try {
    const { exit } = await (await startIn({ ...machine, pool: new WarmPool({ clock: machine.clock, size: 0, idleMs: 0 }) }, spec)).exited;
    return exit.exitCode === 0 ? undefined : `a trial run ended with ${exit.exitCode ?? exit.signal}`;
  } catch (error) {
    return (error as Error).message;
  }
}
