import { release } from "node:os";
import type { Logger } from "@toolwright/engine";
import { type Clock, createRandomIds, type Ids, type ResourceLimits, silentLogger, systemClock } from "@toolwright/engine/ports";
import type { EgressOptions, Gateway } from "../egress/open-gateway.ts";
import { relayArgv } from "../egress/relay-loopback.ts";
import { type ControlGroups, detectControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import { eraseRemains } from "../process/process-tree.ts";
import { Spawner } from "../process/spawner.ts";
import { findSystemProgram } from "./host-tools.ts";
import { findMechanisms, type LimitPlan, type Mechanisms } from "./plan-limits.ts";
import { type BwrapTools, findTools, findVersion, type Missing } from "./probe-bwrap.ts";
import { readOnlyDevices } from "./sandbox-identity.ts";
import { createSandboxRoots } from "./sandbox-root.ts";
import { seccompFilter } from "./seccomp-filter.ts";
import { WarmPool } from "./warm-pool.ts";

export interface BwrapDriverOptions {
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
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** `none` leaves control groups alone, as on a machine that has none. */
  readonly controlGroups?: "detect" | "none";
  /** What holds where the policy names no limit. Default: half of the memory up to 4 GB, two processors, 256 processes, and more of the kind. */
  readonly defaultLimits?: ResourceLimits;
  /** How a filtered network reaches what the policy permits. */
  readonly egress?: EgressOptions;
  /** Hears what bubblewrap said when a sandbox could not be made. */
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

/** What one sandbox was made with. */
export interface SandboxPlan {
  readonly limits: LimitPlan;
  readonly gateway: Gateway | undefined;
}

/** What was found on this machine and started for it, once per driver. */
export interface UsableMachine {
  readonly tools: BwrapTools;
  readonly version: string;
  readonly groups: ControlGroups;
  readonly spawner: Spawner;
  readonly pool: WarmPool<SandboxPlan>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  /** `pinned` where a run must not choose its processors. */
  readonly seccomp: { readonly plain: Buffer | undefined; readonly pinned: Buffer | undefined };
  /** Starts what leads from a run's loopback to its proxy. */
  readonly relay: readonly string[];
  readonly rootFor: ReturnType<typeof createSandboxRoots>;
  readonly options: BwrapDriverOptions;
}
export type Machine = UsableMachine | { readonly tools: undefined; readonly missing: Missing };

export async function prepareMachine(options: BwrapDriverOptions): Promise<Machine> {
  const { clock = systemClock, ids = createRandomIds(), warm = 4, warmIdleMs = 30_000, logger = silentLogger } = options;
  const tools = findTools(options.bwrap);
  if (!("bwrap" in tools)) return { tools: undefined, missing: tools };
  const version = await findVersion(tools.bwrap);
  if (typeof version !== "string") return { tools: undefined, missing: version };
  const prefix = process.getuid?.() === 0 ? readOnlyDevices(tools.unshare!) : [];
  return {
    ...{ tools, version, clock, ids, logger, options },
    groups: options.controlGroups === "none" ? noControlGroups : detectControlGroups(),
    spawner: new Spawner({ prefix, onLost: eraseRemains }),
    pool: new WarmPool<SandboxPlan>({ clock, size: warm, idleMs: warmIdleMs }),
    seccomp: { plain: seccompFilter(), pinned: seccompFilter({ pinned: true }) },
    relay: relayArgv({ socat: options.egress?.relay === "node" ? undefined : findSystemProgram("socat"), node: process.execPath }),
    rootFor: createSandboxRoots({ readable: options.readable ?? [], temporaryMb: options.temporaryMb ?? 512 }),
  };
}

/** A user namespace counts its processes for itself since Linux 5.14; root is exempt from the count. */
function countsProcesses(runsAsRoot: boolean): boolean {
  const [major, minor] = release().split(".").map(Number);
  return !runsAsRoot && (major! > 5 || (major === 5 && minor! >= 14));
}

export function mechanismsOf({ groups }: UsableMachine, runsAsRoot: boolean): Mechanisms {
  return findMechanisms(groups, countsProcesses(runsAsRoot));
}
