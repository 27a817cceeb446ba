import { ToolwrightError } from "@toolwright/engine";
import { createRandomIds, type ProcessSpec, type SandboxDriver } from "@toolwright/engine/ports";
import { relayArgv } from "../egress/relay-loopback.ts";
import type { RemoteRun } from "../process/launch-request.ts";
import { createDriver, type Draft, readShellEnd } from "./create-driver.ts";
import { containerArgv, containerNetworks, runVariables } from "./docker-command.ts";
import { type ContainerEngine, containerName } from "./docker-engine.ts";
import { type ContainerFacts, type DockerDriverOptions, findContainers } from "./docker-machine.ts";
import type { LimitPlan } from "./plan-limits.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import { networkGaps } from "./prepare-spec.ts";
import { findHidden, protectPaths } from "./sandbox-root.ts";

/** Runs each command in a container of its own, with Docker or an engine that takes its arguments. */
export function createDockerDriver(options: DockerDriverOptions = {}): SandboxDriver {
  const settings = { ...options, ids: options.ids ?? createRandomIds() };
  const recipe = {
    name: "docker",
    traits: { isolation: "container", networks: containerNetworks },
    readyMs: 60_000,
    find: () => findContainers(options),
    checkNetwork,
    draft: (prepared: PreparedSpec, facts: ContainerFacts) => draftContainer(prepared, facts, settings),
    readEnd: readShellEnd,
  } as const;
  return createDriver<ContainerFacts>(recipe, settings);
}

function checkNetwork({ network }: ProcessSpec, { image, socat, node }: ContainerFacts): void {
  if (!containerNetworks.includes(network))
    throw new ToolwrightError("sandbox_unavailable", `A container cannot be given the network "${network}". Set sandbox.network to none.`);
  if (network === "filtered" && socat === undefined && node === undefined)
    throw new ToolwrightError(
      "sandbox_unavailable",
      `The image ${image} has neither socat nor node, which a filtered network needs. Add one.`,
    );
}

type Settings = DockerDriverOptions & Required<Pick<DockerDriverOptions, "ids">>;

function draftContainer(prepared: PreparedSpec, facts: ContainerFacts, options: Settings): Draft {
  const { spec, workspace, owner } = prepared;
  const { engine, image, socat, node } = facts;
  const protection = protectPaths(workspace, spec);
  const hidden = findHidden(prepared);
  const relay = relayArgv({ socat: options.egress?.relay === "node" && node ? undefined : socat, node: node ?? "" });
  return {
    placeholders: protection.entries,
    request: ({ id, plan, socket }) => {
      const name = containerName(id);
      const token = options.ids.next("ready");
      const argv = containerArgv(prepared, {
        ...{ name, image, token, user: owner, protection, hidden },
        ...{ readable: options.readable ?? [], runArguments: options.runArguments ?? [] },
        ...{ temporaryMb: options.temporaryMb ?? 512, limits: plan.limits },
        ...(socket !== undefined && { egress: { socket, relay } }),
      });
      return {
        argv: [...engine.argv, ...argv],
        env: { ...engine.env, ...runVariables(prepared) },
        cwd: "/",
        ...{ readiness: "printed", token, leaderOwnsTree: true },
        remote: remoteRun(engine, name, plan),
      };
    },
    gaps: (plan) => gapsOf(spec, { owner, facts, gaps: [...protection.gaps, ...plan.gaps, together] }),
  };
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
