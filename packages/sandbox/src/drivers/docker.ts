import { type Posture, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  createRandomIds,
  type DriverProbe,
  type Ids,
  type ProcessHandle,
  type ProcessSpec,
  type SandboxDriver,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { networkGaps, noHosts } from "../egress/network-gaps.ts";
import { type Gateway, openGateway } from "../egress/open-gateway.ts";
import { proxyEnvironment, relayArgv } from "../egress/relay-loopback.ts";
import { noControlGroups } from "../process/control-group-detection.ts";
import type { LaunchRequest, RemoteRun } from "../process/launch-request.ts";
import { ManagedProcess } from "../process/managed-process.ts";
import { eraseRemains } from "../process/process-tree.ts";
import { Spawner } from "../process/spawner.ts";
import { supervise } from "../process/supervise.ts";
import { containerArgv, containerNetworks, runVariables } from "./docker-command.ts";
import { type ContainerEngine, containerName } from "./docker-engine.ts";
import { type ContainerFacts, type DockerDriverOptions, findContainers } from "./docker-machine.ts";
import { findHidden } from "./hide-paths.ts";
import { programPath } from "./host-tools.ts";
import { describeLimits, type LimitPlan, planLimits } from "./plan-limits.ts";
import { type PreparedSpec, prepareSpec } from "./prepare-spec.ts";
import type { Missing } from "./probe-bwrap.ts";
import { protectPaths } from "./protect-paths.ts";
import { readShellEnd } from "./read-shell-end.ts";
import { sandboxHome } from "./sandbox-root.ts";
import { failStart } from "./start-failure.ts";

const readyMs = 60_000;

/** Runs each command in a container of its own, with Docker or an engine that takes its arguments. */
export function createDockerDriver(options: DockerDriverOptions = {}): SandboxDriver {
  const { clock = systemClock, ids = createRandomIds() } = options;
  const spawner = new Spawner({ onLost: eraseRemains });
  let found: Promise<ContainerFacts | Missing> | undefined;
  const find = () => (found ??= findContainers(options));
  const probe = async (): Promise<DriverProbe> => {
    const facts = await find();
    if (!("engine" in facts)) return { available: false, limits: {}, ...facts };
    return {
      available: true,
      detail: `${facts.engine.argv[0]} ${facts.version} with the image ${facts.image}`,
      ...describeLimits(facts.limits, options.defaultLimits),
    };
  };
  const start = async (spec: ProcessSpec): Promise<ProcessHandle> => {
    const facts = await find();
    if (!("engine" in facts)) throw unavailable(facts);
    return startContainer(spec, { facts, options, spawner, clock, ids });
  };
  return { name: "docker", traits: { isolation: "container", networks: containerNetworks }, probe, start, close: () => spawner.close() };
}

function unavailable({ detail, remedy }: Missing): ToolwrightError {
  return new ToolwrightError("sandbox_unavailable", `${detail}${remedy === undefined ? "" : ` To get it: ${remedy}`}`);
}

interface Containers {
  readonly facts: ContainerFacts;
  readonly options: DockerDriverOptions;
  readonly spawner: Spawner;
  readonly clock: Clock;
  readonly ids: Ids;
}

async function startContainer(spec: ProcessSpec, containers: Containers): Promise<ProcessHandle> {
  const { facts, options, spawner, clock } = containers;
  refuseNetwork(spec, facts);
  const variables = spec.network === "filtered" ? proxyEnvironment : {};
  const surroundings = { path: programPath, home: sandboxHome, temporary: "/tmp", shell: facts.shell, variables, inImage: true };
  const prepared = prepareSpec(spec, surroundings);
  const by = { mechanisms: facts.limits, groups: noControlGroups, defaults: options.defaultLimits };
  const plan = planLimits("", { ...spec, workspace: prepared.workspace }, by);
  const gateway = spec.network === "filtered" ? openGateway(spec.networkRules ?? noHosts, prepared.owner, options.egress) : undefined;
  try {
    const { request, gaps } = describeContainer(prepared, { ...containers, gateway, plan });
    const process = new ManagedProcess(spawner, request, clock);
    const problem = await process.waitUntilReady(readyMs);
    if (problem !== undefined) throw failStart("docker", problem, options.logger ?? silentLogger);
    gateway?.hide();
    const posture: Posture = { runtime: "docker", isolation: "container", network: spec.network, limits: plan.posture, gaps };
    return supervise({ process, spec, posture, clock, graceMs: options.graceMs ?? 2000, gateway, readEnd: readShellEnd });
  } catch (error) {
    gateway?.close();
    throw error;
  }
}

function refuseNetwork({ network }: ProcessSpec, { image, socat, node }: ContainerFacts): void {
  if (!containerNetworks.includes(network))
    throw new ToolwrightError("sandbox_unavailable", `A container cannot be given the network "${network}". Set sandbox.network to none.`);
  if (network === "filtered" && socat === undefined && node === undefined)
    throw new ToolwrightError(
      "sandbox_unavailable",
      `The image ${image} has neither socat nor node, which a filtered network needs. Add one.`,
    );
}

interface Started {
  readonly gateway: Gateway | undefined;
  readonly plan: LimitPlan;
}

function describeContainer(prepared: PreparedSpec, { facts, options, ids, gateway, plan }: Containers & Started) {
  const { spec, workspace, owner } = prepared;
  const { engine, image, socat, node } = facts;
  const name = containerName(ids.next("run"));
  const token = ids.next("ready");
  const protection = protectPaths(workspace, spec);
  const relay = relayArgv({ socat: options.egress?.relay === "node" && node ? undefined : socat, node: node ?? "" });
  const argv = containerArgv(prepared, {
    ...{ name, image, token, user: owner, protection, hidden: findHidden(prepared) },
    ...{ readable: options.readable ?? [], runArguments: options.runArguments ?? [] },
    ...{ temporaryMb: options.temporaryMb ?? 512, limits: plan.limits },
    ...(gateway && { egress: { socket: gateway.socket, relay } }),
  });
  const request: LaunchRequest = {
    argv: [...engine.argv, ...argv],
    env: { ...engine.env, ...runVariables(prepared) },
    cwd: "/",
    ...{ readiness: "printed", token, preloaded: [], groups: [], leaderOwnsTree: true },
    ...{ scope: plan.scope, watch: {} },
    remote: remoteRun(engine, name, plan),
    placeholders: { workspace, entries: protection.entries },
  };
  return { request, gaps: gapsOf(spec, { owner, facts, gaps: [...protection.gaps, ...plan.gaps, together] }) };
}

function remoteRun({ argv }: ContainerEngine, name: string, { limits }: LimitPlan): RemoteRun {
  return {
    terminate: [...argv, "exec", name, "/bin/sh", "-c", "kill -TERM -1"],
    kill: [...argv, "kill", name],
    remove: [...argv, "rm", "--force", name],
    ...(limits.memoryMb !== undefined && { outOfMemory: [...argv, "inspect", "--format", "{{.State.OOMKilled}}", name] }),
  };
}

const together = "The engine limits each container by itself: several at a time get more than one.";

interface Shortcomings {
  readonly owner: PreparedSpec["owner"];
  readonly facts: ContainerFacts;
  readonly gaps: readonly string[];
}

function gapsOf(spec: ProcessSpec, { owner, facts, gaps }: Shortcomings): string[] {
  const root = "The workspace belongs to root, so the command was root in its container, without capabilities. Give it to another user.";
  const namespaces = "The engine's system call filter lets a process make a user namespace, which opens more of the kernel to it.";
  return [
    ...(owner.uid === 0 ? [root] : []),
    ...gaps,
    ...networkGaps(spec),
    "Which families of sockets a process can make is up to the engine's system call filter.",
    ...(facts.userNamespaces ? [namespaces] : []),
    ...(spec.writable ? ["The workspace has no quota: many files can fill its disk."] : []),
  ];
}
