import type { CallSite } from "@toolwright/engine";
import type { Clock, CommandSpec, Ids, ProcessInfo } from "@toolwright/engine/ports";
import { BackgroundProcess } from "./background-process.ts";
import { type LaunchSettings, launchCommand } from "./launch-command.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { sayCut } from "./plan-time.ts";
import { ownerOf } from "./process-owner.ts";
import type { ProcessRegistry } from "./process-registry.ts";

export interface BackgroundSettings extends LaunchSettings {
  /** Bytes of output that a process keeps for readers. */
  readonly backgroundBufferBytes: number;
  /** Longest life, in milliseconds. */
  readonly backgroundTimeoutMs: number;
  readonly registry: ProcessRegistry;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Starts a command that outlives its call. Rejects with `rate_limited` when too many run. */
export async function startProcess(settings: BackgroundSettings, site: CallSite, spec: CommandSpec): Promise<ProcessInfo> {
  const owner = ownerOf(site);
  const release = settings.registry.reserve(owner);
  try {
    const output = new OutputBuffer(settings.backgroundBufferBytes, () => site.redactStream());
    const facts = { id: settings.ids.next("proc"), owner, command: spec.command, startedAt: settings.clock.now() };
    const timeoutMs = Math.min(spec.timeoutMs ?? settings.backgroundTimeoutMs, settings.backgroundTimeoutMs);
    for (const cut of sayCut(spec.timeoutMs, timeoutMs, "a background process may have")) site.reportAnomaly(cut);
    const handle = await launchCommand(settings, site, {
      spec,
      timeoutMs,
      stdin: "pipe",
      onOutput: (stream, chunk) => output.push(stream, chunk),
    });
    const process = new BackgroundProcess(facts, handle, output);
    process.ended.then(release);
    await settings.registry.add(process);
    // A process that ends without reading its input has ended well enough; its information says how.
    if (spec.stdin !== undefined) await process.write(spec.stdin, { end: false, signal: site.signal }).catch(() => {});
    return process.info();
  } catch (error) {
    release();
    throw error;
  }
}
