import { tmpdir } from "node:os";
import { ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec, SandboxDriver } from "@toolwright/engine/ports";
import { detectControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import { createDriver, type Draft, type DriverOptions, type Machine, type Missing } from "./create-driver.ts";
import { findMechanisms, type LimitPlan, launcherArgv } from "./plan-limits.ts";
import { findShell, type PreparedSpec } from "./prepare-spec.ts";

export interface HostDriverOptions extends Omit<DriverOptions, "egress"> {
  /** Absolute folder that children get as HOME; defaults to the system's temporary folder, never the operator's home. */
  readonly home?: string;
  /** `none` tracks processes without control groups, as on a machine that has none. */
  readonly controlGroups?: "detect" | "none";
}

/** Runs commands as the server's own user, without isolation: for machines and policies that want none. */
export function createHostDriver(options: HostDriverOptions = {}): SandboxDriver {
  const traits = { isolation: "none", networks: ["host"] } as const;
  return createDriver({ name: "host", traits, find: () => findHost(options), checkNetwork, draft }, options);
}

function findHost({ home = tmpdir(), controlGroups }: HostDriverOptions): Machine | Missing {
  if (process.platform === "win32") return { detail: "Windows has no process groups that this driver could end." };
  const groups = controlGroups === "none" ? noControlGroups : detectControlGroups();
  const surroundings = { home, temporary: tmpdir(), shell: findShell() };
  const detail = "Commands run as the server's own user, without isolation.";
  return { detail, surroundings, groups, mechanisms: findMechanisms(groups, false) };
}

function checkNetwork({ network }: ProcessSpec): void {
  if (network === "host") return;
  const message = `The policy demands network "${network}", and the host driver cannot take the network away. Set sandbox.network to host, or sandbox.mode to bwrap.`;
  throw new ToolwrightError("sandbox_unavailable", message);
}

function draft({ argv, env, workdir, spec }: PreparedSpec): Draft {
  return {
    placeholders: [],
    request: ({ id, plan }) => {
      const tracked = plan.groups.length > 0;
      return {
        argv: [...launcherArgv({ ...plan, announce: true }), ...argv],
        env: tracked ? env : { ...env, TOOLWRIGHT_RUN: id },
        cwd: workdir,
        readiness: "announced",
        ...(tracked ? {} : { marker: `TOOLWRIGHT_RUN=${id}` }),
        leaderOwnsTree: false,
      };
    },
    gaps: (plan) => gapsOf(spec, plan),
  };
}

function gapsOf(spec: ProcessSpec, plan: LimitPlan): string[] {
  const gaps = ["The command could read and write everything that the server's own user can, and use the network."];
  if (!spec.writable) gaps.push("The workspace was not read-only.");
  if (spec.protectedPaths.length > 0) gaps.push("Protected paths could be written.");
  if (spec.hiddenPaths?.length) gaps.push("Credential files could be read: only a sandbox can hide them.");
  if (plan.groups.length === 0) {
    gaps.push("There is no control group: a process that leaves its session and clears its environment escapes the end of the run.");
  } else if (process.getuid?.() === 0) gaps.push("As root, a process can leave its control group.");
  if (plan.posture.cpu === "affinity") gaps.push("A process can take itself off the processors that it was given.");
  return [...gaps, ...plan.gaps];
}
