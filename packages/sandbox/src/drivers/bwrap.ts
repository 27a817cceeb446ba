import { ToolwrightError } from "@toolwright/engine";
import type { SandboxDriver } from "@toolwright/engine/ports";
import { networkGaps } from "../egress/network-gaps.ts";
import { hostRelay } from "../egress/relay-loopback.ts";
import { bwrapArgv } from "./bwrap-command.ts";
import { type BwrapDriverOptions, type BwrapMachine, explainFailure, findBwrap, mechanismsOf } from "./bwrap-machine.ts";
import { createDriver, type Draft, readShellEnd } from "./create-driver.ts";
import { findHidden } from "./hide-paths.ts";
import { type LimitPlan, launcherArgv } from "./plan-limits.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import { protectPaths } from "./protect-paths.ts";
import { chooseIdentity } from "./sandbox-identity.ts";
import { stageFor, unstaged } from "./stage-sources.ts";

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
