import type { Anomaly, CallSite } from "@toolwright/engine";
import type { CommandResult, CommandSpec } from "@toolwright/engine/ports";
import { OutputCapture } from "./capture-output.ts";
import { type LaunchSettings, launchCommand } from "./launch-command.ts";
import { planTime, sayCut } from "./plan-time.ts";
import type { WatchedProcess } from "./watch-metadata.ts";

export interface RunSettings extends LaunchSettings {
  /** Bytes of each stream that an artifact holds. */
  readonly maxArtifactBytes: number;
  /** Longest life of a background process, in milliseconds. */
  readonly backgroundTimeoutMs: number;
}

export type Captures = Readonly<Record<"stdout" | "stderr", OutputCapture>>;

/** Runs one command to its end, or to the end of the call. */
export async function runCommand(settings: RunSettings, site: CallSite, spec: CommandSpec): Promise<CommandResult> {
  const { timeoutMs: policyMs } = site.sandbox;
  const { timeoutMs } = planTime(spec, undefined, { policyMs, backgroundMs: settings.backgroundTimeoutMs });
  const captures = openCaptures(settings, site, spec);
  const handle = await launchCommand(settings, site, {
    spec,
    timeoutMs,
    stdin: stdinOf(spec),
    onOutput: (stream, chunk) => captures[stream].push(chunk),
  });
  return untilItsEnd(handle, site, { captures, cut: sayCut(spec.timeoutMs, timeoutMs, "the policy allows a command that is waited for") });
}

export function openCaptures(settings: RunSettings, site: CallSite, spec: CommandSpec): Captures {
  const { maxOutputBytes } = site.sandbox;
  const limits = {
    maxOutputBytes: Math.min(spec.maxOutputBytes ?? maxOutputBytes, maxOutputBytes),
    maxArtifactBytes: settings.maxArtifactBytes,
  };
  return { stdout: new OutputCapture("stdout", site, limits), stderr: new OutputCapture("stderr", site, limits) };
}

export function stdinOf({ stdin }: CommandSpec): "closed" | { readonly text: string } {
  return stdin === undefined ? "closed" : { text: stdin };
}

interface Ending {
  readonly captures: Captures;
  /** What is said of its time. */
  readonly cut: readonly Anomaly[];
}

/** Waits for the end, and kills when the call ends before. */
async function untilItsEnd(handle: WatchedProcess, site: CallSite, { captures, cut }: Ending): Promise<CommandResult> {
  const kill = () => handle.kill("cancelled");
  site.signal.addEventListener("abort", kill, { once: true });
  await handle.exited;
  site.signal.removeEventListener("abort", kill);
  return describeEnd(handle, site, { captures, cut });
}

/** The result of a process that has ended. */
export async function describeEnd(handle: WatchedProcess, site: CallSite, { captures, cut }: Ending): Promise<CommandResult> {
  const { exit, anomalies: found, traffic } = await handle.exited;
  const anomalies = [...found, ...cut];
  for (const anomaly of anomalies) site.reportAnomaly(anomaly);
  const captured = await Promise.all([captures.stdout.finish(), captures.stderr.finish()]);
  return {
    ...exit,
    stdout: captured[0].text,
    stderr: captured[1].text,
    truncations: captured.flatMap(({ truncation }) => truncation ?? []),
    artifacts: captured.flatMap(({ artifact }) => artifact ?? []),
    posture: handle.posture,
    anomalies,
    ...(traffic && { traffic }),
  };
}
