import type { Anomaly, CallSite } from "@toolwright/engine";
import type { Clock, CommandResult, CommandSpec, Ids, Patience, ProcessInfo, ProcessOutput } from "@toolwright/engine/ports";
import type { WatchedProcess } from "../git-metadata/guard-metadata.ts";
import { OutputBuffer, OutputCapture } from "./capture-output.ts";
import { type LaunchSettings, launchCommand } from "./launch-command.ts";
import { BackgroundProcess, ownerOf, type ProcessRegistry } from "./process-registry.ts";

interface RunSettings extends LaunchSettings {
  /** Bytes of each stream that an artifact holds. */
  readonly maxArtifactBytes: number;
  /** Longest life of a background process, in milliseconds. */
  readonly backgroundTimeoutMs: number;
}

type Captures = Readonly<Record<"stdout" | "stderr", OutputCapture>>;

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

function openCaptures(settings: RunSettings, site: CallSite, spec: CommandSpec): Captures {
  const { maxOutputBytes } = site.sandbox;
  const limits = {
    maxOutputBytes: Math.min(spec.maxOutputBytes ?? maxOutputBytes, maxOutputBytes),
    maxArtifactBytes: settings.maxArtifactBytes,
  };
  return { stdout: new OutputCapture("stdout", site, limits), stderr: new OutputCapture("stderr", site, limits) };
}

function stdinOf({ stdin }: CommandSpec): "closed" | { readonly text: string } {
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
async function describeEnd(handle: WatchedProcess, site: CallSite, { captures, cut }: Ending): Promise<CommandResult> {
  const { exit, anomalies: found, traffic } = await handle.exited;
  const anomalies = [...found, ...cut];
  for (const anomaly of anomalies) site.reportAnomaly(anomaly);
  // One that goes on in the background may fetch later, so what it fetched is not told then.
  if (handle.reached) site.reportReached(handle.reached());
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

/** Milliseconds that a command may take. */
interface TimeLimits {
  /** While its call waits, as the policy says. */
  readonly policyMs: number;
  /** In the background. */
  readonly backgroundMs: number;
}

interface TimePlan {
  /** When it is killed. */
  readonly timeoutMs: number;
  /** When it goes on in the background, and when it is killed where there is no room for it; undefined when its call waits for its end. */
  readonly handOver?: { readonly afterMs: number; readonly elseMs: number };
}

/** How long a command runs, and how long its call waits for it. */
export function planTime(
  { timeoutMs: asked }: CommandSpec,
  patience: Patience | undefined,
  { policyMs, backgroundMs }: TimeLimits,
): TimePlan {
  const waited = Math.min(asked ?? policyMs, policyMs);
  if (!patience || waited <= patience.ms) return { timeoutMs: waited };
  if (patience.renewable && asked !== undefined && asked <= policyMs) return { timeoutMs: asked };
  return { timeoutMs: Math.min(asked ?? backgroundMs, backgroundMs), handOver: { afterMs: patience.ms, elseMs: waited } };
}

/** What to say when a command got less time than it was to have. */
export function sayCut(askedMs: number | undefined, gotMs: number, whose: string): readonly Anomaly[] {
  if (askedMs === undefined || askedMs <= gotMs) return [];
  const message = `The timeout of ${askedMs / 1000} s was cut to ${gotMs / 1000} s, the most that ${whose}.`;
  return [{ kind: "time_limit", message }];
}

type Settings = RunSettings & BackgroundSettings;

/** Runs a command to its end, or to the end of the caller's patience: then it goes on in the background. */
export async function runWithin(
  settings: Settings,
  site: CallSite,
  { spec, patience }: { readonly spec: CommandSpec; readonly patience: Patience },
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

interface BackgroundSettings extends LaunchSettings {
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
