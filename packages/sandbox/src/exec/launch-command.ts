import { gitAccessOf } from "@toolwright/commands";
import { type CallSite, ToolwrightError } from "@toolwright/engine";
import type { CommandSpec, ProcessSpec, SandboxDriver } from "@toolwright/engine/ports";
import { guardRun } from "../git-metadata/guard-metadata.ts";
import { chooseDriver } from "./choose-driver.ts";
import { commandEnvironment } from "./command-environment.ts";
import { confineMoves } from "./confine-moves.ts";
import { confineWorkdir } from "./confine-workdir.ts";
import { limitView } from "./limit-view.ts";
import { type WatchedProcess, watchMetadata } from "./watch-metadata.ts";
import type { WorkspaceViews } from "./workspace-view.ts";

/** What the operator decided about all commands. */
export interface LaunchSettings {
  /** Strongest first. */
  readonly drivers: readonly SandboxDriver[];
  /** Absolute host path of the workspace of a call. */
  readonly workspaceOf: (site: Pick<CallSite, "principal" | "session">) => string;
  readonly protectedPaths: readonly string[];
  readonly views: WorkspaceViews;
  /** Variables beside `commandEnvironment`. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Launch {
  readonly spec: CommandSpec;
  readonly timeoutMs: number;
  readonly stdin: ProcessSpec["stdin"];
  readonly onOutput: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
}

/** Judges a command, finds its driver and folder, and starts it. */
export async function launchCommand(settings: LaunchSettings, site: CallSite, launch: Launch): Promise<WatchedProcess> {
  judgeCommand(site, launch.spec);
  const { driver, network } = await chooseDriver(settings.drivers, site);
  const workspace = settings.workspaceOf(site);
  const workdir = await confineWorkdir(workspace, launch.spec.workdir);
  await confineMoves(workspace, workdir, launch.spec.command);
  const { hiddenPaths, sayHidden, survey } = await limitView(settings.views, site, { command: launch.spec.command, workspace, workdir });
  site.signal.throwIfAborted();
  const need = gitAccessOf(launch.spec.command);
  const access = { access: need.access, approved: site.approved, seals: driver.traits.isolation !== "none" };
  const run = await guardRun(workspace, access, survey);
  const spec = {
    program: { shell: launch.spec.command },
    workspace,
    workdir,
    writable: true,
    env: { ...commandEnvironment, ...settings.environment },
    network,
    ...(network === "filtered" && { networkRules: site.network }),
    limits: site.sandbox.limits,
    ...(site.sandbox.tighterLimits && { tighterLimits: site.sandbox.tighterLimits }),
    protectedPaths: settings.protectedPaths,
    sealedPaths: run.sealedPaths,
    hiddenPaths,
    stdin: launch.stdin,
    timeoutMs: launch.timeoutMs,
  };
  const started = await driver.start(spec).catch(async (error: unknown) => {
    for (const anomaly of await run.end()) site.reportAnomaly(anomaly);
    throw error;
  });
  const handle = watchMetadata(sayHidden(started), run, need);
  handle.onOutput(launch.onOutput);
  if (site.signal.aborted) handle.kill("cancelled");
  site.reportPosture(handle.posture);
  return handle;
}

function judgeCommand(site: CallSite, { command, workdir }: CommandSpec): void {
  const decision = site.judge({ kind: "command", command, workdir: workdir ?? null });
  if (decision.effect === "allow") return;
  const late =
    decision.effect === "ask" ? "It would need a person's approval, which cannot be asked for any more at this point." : undefined;
  const parts = ["The command was not run.", decision.reason, late, decision.remedy];
  throw new ToolwrightError("command_refused", parts.filter((part) => part !== undefined).join(" "), {
    details: { effect: decision.effect, rule: decision.rule, revision: decision.revision },
  });
}
