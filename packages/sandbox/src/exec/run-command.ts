import type { CallSite, CommandResult, CommandSpec } from "@toolwright/engine";
import { OutputCapture } from "./capture-output.ts";
import { type LaunchSettings, launchCommand } from "./launch-command.ts";

export interface RunSettings extends LaunchSettings {
  /** Bytes of each stream that an artifact holds. */
  readonly maxArtifactBytes: number;
}

/** Runs one command to its end, or to the end of the call. */
export async function runCommand(settings: RunSettings, site: CallSite, spec: CommandSpec): Promise<CommandResult> {
  const { maxOutputBytes, timeoutMs } = site.sandbox;
  const limits = {
    maxOutputBytes: Math.min(spec.maxOutputBytes ?? maxOutputBytes, maxOutputBytes),
    maxArtifactBytes: settings.maxArtifactBytes,
  };
  const captures = { stdout: new OutputCapture("stdout", site, limits), stderr: new OutputCapture("stderr", site, limits) };
  const handle = await launchCommand(settings, site, {
    spec,
    timeoutMs: Math.min(spec.timeoutMs ?? timeoutMs, timeoutMs),
    stdin: spec.stdin === undefined ? "closed" : { text: spec.stdin },
    onOutput: (stream, chunk) => captures[stream].push(chunk),
  });
  const kill = () => handle.kill("cancelled");
  site.signal.addEventListener("abort", kill, { once: true });
  const { exit, anomalies, traffic } = await handle.exited;
  site.signal.removeEventListener("abort", kill);
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
