import type { CallSite } from "@toolwright/engine";
import type { CommandResult, CommandSpec, Patience, ProcessOutput } from "@toolwright/engine/ports";
import { BackgroundProcess } from "./background-process.ts";
import { launchCommand } from "./launch-command.ts";
import { OutputBuffer } from "./output-buffer.ts";
import { planTime, sayCut } from "./plan-time.ts";
import { ownerOf } from "./process-owner.ts";
import { type Captures, describeEnd, openCaptures, type RunSettings, runCommand, stdinOf } from "./run-command.ts";
import type { BackgroundSettings } from "./start-process.ts";
import type { WatchedProcess } from "./watch-metadata.ts";

export interface PatientRun {
  readonly spec: CommandSpec;
  readonly patience: Patience;
}

type Settings = RunSettings & BackgroundSettings;

/** Runs a command to its end, or to the end of the caller's patience: then it goes on in the background. */
export async function runWithin(
  settings: Settings,
  site: CallSite,
  { spec, patience }: PatientRun,
): Promise<CommandResult | ProcessOutput> {
  const { timeoutMs, handOver } = planTime(spec, patience, {
    policyMs: site.sandbox.timeoutMs,
    backgroundMs: settings.backgroundTimeoutMs,
  });
  if (!handOver) return runCommand(settings, site, spec);
  const startedAt = settings.clock.now();
  const captures = openCaptures(settings, site, spec);
  const output = new OutputBuffer(settings.backgroundBufferBytes, () => site.redactStream());
  let isWaited = true;
  const handle = await launchCommand(settings, site, {
    spec,
    timeoutMs,
    stdin: stdinOf(spec),
    onOutput(stream, chunk) {
      if (isWaited) captures[stream].push(chunk);
      output.push(stream, chunk);
    },
  });
  const waiting = new Waiting(settings, site, handle);
  if (await waiting.endsWithin(handOver.afterMs)) return describeEnd(handle, site, { captures, cut: [] });
  const release = takePlace(settings, site);
  if (!release) return waiting.untilKilled(handOver, { captures, asked: spec.timeoutMs });
  isWaited = false;
  waiting.stop();
  await Promise.all([captures.stdout.drop(), captures.stderr.drop()]);
  const facts = { id: settings.ids.next("proc"), owner: ownerOf(site), command: spec.command, startedAt };
  const process = new BackgroundProcess(facts, handle, output, { takesInput: false });
  process.ended.then(release);
  await settings.registry.add(process);
  return { ...output.read(0, spec.maxOutputBytes ?? site.sandbox.maxOutputBytes), info: process.info() };
}

/** Undefined when no more processes may run in the background. */
function takePlace({ registry }: Settings, site: CallSite): (() => void) | undefined {
  try {
    return registry.reserve(ownerOf(site));
  } catch {
    return undefined;
  }
}

/** A call that waits for a process, and ends it when the call ends. */
class Waiting {
  readonly #settings: Settings;
  readonly #site: CallSite;
  readonly #handle: WatchedProcess;
  readonly #kill: () => void;

  constructor(settings: Settings, site: CallSite, handle: WatchedProcess) {
    this.#settings = settings;
    this.#site = site;
    this.#handle = handle;
    this.#kill = () => handle.kill("cancelled");
    site.signal.addEventListener("abort", this.#kill, { once: true });
    void handle.exited.then(() => this.stop());
  }

  stop(): void {
    this.#site.signal.removeEventListener("abort", this.#kill);
  }

  async endsWithin(ms: number): Promise<boolean> {
    const over = Promise.withResolvers<false>();
    const stopTimer = this.#settings.clock.after(ms, () => over.resolve(false), { keepAlive: true });
    const ended = await Promise.race([this.#handle.exited.then(() => true), over.promise]);
    stopTimer();
    return ended;
  }

  /** Where nothing more may run in the background, the process has the time that it had without one. */
  async untilKilled(
    { afterMs, elseMs }: { readonly afterMs: number; readonly elseMs: number },
    { captures, asked }: { readonly captures: Captures; readonly asked: number | undefined },
  ): Promise<CommandResult> {
    const ended = await this.endsWithin(elseMs - afterMs);
    if (!ended) this.#handle.kill("stopped");
    const cut = sayCut(asked, elseMs, "the policy allows a command that is waited for");
    const result = await describeEnd(this.#handle, this.#site, { captures, cut });
    return ended ? result : { ...result, reason: "timeout" };
  }
}
