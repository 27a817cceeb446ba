import { realpathSync } from "node:fs";
import { basename } from "node:path";
import type { CallSite, CapabilityProvider, Exec } from "@toolwright/engine";
import { type Clock, createRandomIds, type Ids, systemClock } from "@toolwright/engine/ports";
import { findUncontained } from "../uncontained/find-uncontained.ts";
import { confineWorkdir, explainRefusal } from "./confine-workdir.ts";
import { fingerprintCommand } from "./fingerprint-command.ts";
import { findCautions } from "./git-use.ts";
import { chooseDriver, type LaunchSettings } from "./launch-command.ts";
import { type BackgroundProcess, ownerOf, type ProcessLimits, ProcessRegistry } from "./process-registry.ts";
import { runCommand, runWithin, startProcess } from "./run-command.ts";
import { WorkspaceViews } from "./workspace-view.ts";

const defaults: ExecLimits = {
  maxArtifactBytes: 64 * 1024 * 1024,
  backgroundBufferBytes: 1024 * 1024,
  backgroundTimeoutMs: 12 * 60 * 60 * 1000,
  maxRunningPerSession: 16,
  maxRunningPerTenant: 64,
  maxEndedPerSession: 16,
  keepEndedMs: 30 * 60 * 1000,
};

export interface ExecLimits extends ProcessLimits {
  /** Bytes of each stream that an artifact holds. */
  readonly maxArtifactBytes: number;
  /** Bytes of output that a background process keeps for readers. */
  readonly backgroundBufferBytes: number;
  /** Longest life of a background process, in milliseconds. */
  readonly backgroundTimeoutMs: number;
}

export interface ExecCapabilityOptions extends Pick<LaunchSettings, "drivers" | "workspaceOf"> {
  /** Workspace-relative paths that no command may write, beside git metadata. Default: none. */
  readonly protectedPaths?: readonly string[];
  /** Variables for every command; nothing is taken from the server's own environment. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ExecLimits>;
  readonly clock?: Clock;
  readonly ids?: Ids;
}

export interface ExecCapability extends CapabilityProvider<"exec"> {
  /** Ends the background processes of a session that is over. */
  endSession(tenant: string, session: string): Promise<void>;
  /** Ends all background processes, and starts none after that. The drivers stay with who made them. */
  close(): Promise<void>;
}

/** Commands on sandbox drivers. `manage` gives background processes only; `run` also starts commands. */
export function execCapability(options: ExecCapabilityOptions): ExecCapability {
  const { protectedPaths = [], environment = {}, clock = systemClock, ids = createRandomIds() } = options;
  const limits = { ...defaults, ...options.limits };
  const views = new WorkspaceViews();
  const settings = { ...options, protectedPaths, environment, views, maxArtifactBytes: limits.maxArtifactBytes };
  const registry = new ProcessRegistry(clock, limits);

  const background = { ...settings, ...limits, registry, clock, ids };

  return {
    name: "exec",
    open(effect, site) {
      const processes = manageProcesses(registry, site, clock);
      if (effect !== "run") return processes;
      const exec: Exec = {
        ...processes,
        run: (spec) => runCommand(background, site, spec),
        runWithin: (spec, patience) => runWithin(background, site, { spec, patience }),
        start: (spec) => startProcess(background, site, spec),
      };
      return exec;
    },
    async fingerprint(reach, caller) {
      if (reach.kind !== "command") return undefined;
      const chosen = await chooseDriver(options.drivers, { sandbox: caller.sandbox, approved: true }).catch(() => undefined);
      return fingerprintCommand(() => options.workspaceOf(caller), reach, { inImage: chosen?.driver.traits.isolation === "container" });
    },
    async caution(reach, caller) {
      return reach.kind === "command" ? findCautions(views, () => options.workspaceOf(caller), reach) : [];
    },
    async uncontained(reach, missing, caller) {
      return reach.kind === "command" ? findUncontained({ workspaceOf: () => options.workspaceOf(caller), views }, reach, missing) : [];
    },
    async refusal(reach, caller) {
      if (reach.kind !== "command" || reach.workdir == null) return undefined;
      return explainRefusal(() => confineWorkdir(options.workspaceOf(caller), reach.workdir));
    },
    workspace: (caller) => basename(options.workspaceOf(caller)),
    roots: (caller) => rootsOf(() => options.workspaceOf(caller)),
    endSession: (tenant, session) => registry.endSession(tenant, session),
    close: () => registry.close(),
  };
}

/** The root of the disk is no workspace whose paths would say anything. */
function rootsOf(workspaceOf: () => string): readonly string[] {
  try {
    const workspace = workspaceOf();
    return [...new Set([workspace.replace(/(?<=[^/])\/+$/, ""), realpathSync(workspace)])].filter((root) => root !== "/");
  } catch {
    return [];
  }
}

const defaultReadBytes = 65_536;
const longestWaitMs = 60_000;

/** The background processes of a call's owner, and of nobody else. */
function manageProcesses(registry: ProcessRegistry, site: CallSite, clock: Clock): Omit<Exec, "run" | "runWithin" | "start"> {
  const owner = ownerOf(site);
  return {
    async list() {
      return registry.listOf(owner).map((process) => process.info());
    },
    async read(id, { cursor = 0, waitMs = 0, maxBytes = defaultReadBytes } = {}) {
      const process = registry.find(owner, id);
      await process.output.waitFor(cursor, { waitMs: Math.min(waitMs, longestWaitMs), clock, signal: site.signal });
      await process.checkMetadata();
      report(process, site);
      return { ...process.output.read(cursor, maxBytes), info: process.info() };
    },
    async write(id, data, { end = false } = {}) {
      await registry.find(owner, id).write(data, { end, signal: site.signal });
    },
    async stop(id) {
      const process = registry.find(owner, id);
      await process.kill();
      report(process, site);
      return process.info();
    },
  };
}

function report(process: BackgroundProcess, site: CallSite): void {
  site.reportPosture(process.info().posture);
  const reached = process.reached();
  if (reached) site.reportReached(reached);
  for (const anomaly of process.anomalies) site.reportAnomaly(anomaly);
}
