import { constants } from "node:os";
import type { Anomaly, NetworkAccess, Posture } from "@toolwright/engine";
import type { Clock, ProcessExit, ProcessHandle, ProcessSpec } from "@toolwright/engine/ports";
import type { Gateway } from "../egress/open-gateway.ts";
import type { LaunchEnd, LaunchRequest } from "./launch-request.ts";
import type { Launched, Spawner } from "./spawner.ts";

interface Supervision {
  readonly process: ManagedProcess;
  readonly spec: ProcessSpec;
  readonly posture: Posture;
  readonly clock: Clock;
  /** Milliseconds between SIGTERM and SIGKILL of a stop. */
  readonly graceMs: number;
  /** The way out of a run with a filtered network; closed when the run ends. */
  readonly gateway?: Gateway | undefined;
  /** Translates what the launcher reported into what the program did. */
  readonly readEnd?: (end: LaunchEnd) => Pick<ProcessExit, "exitCode" | "signal">;
}

/** Owns the time of a running process: limits, cancellation, stop, and how it ended. */
export function supervise({ process, spec, posture, clock, graceMs, gateway, readEnd }: Supervision): ProcessHandle {
  const startedAt = clock.monotonic();
  const timers = new Set<() => void>();
  let reason: ProcessExit["reason"] | undefined;
  let lastOutputAt = startedAt;

  const killFor = (cause: ProcessExit["reason"]) => {
    reason ??= cause;
    process.signal("SIGKILL");
  };
  const after = (ms: number, callback: () => void) => {
    const stopTimer = clock.after(ms, () => {
      timers.delete(stopTimer);
      callback();
    });
    timers.add(stopTimer);
  };
  const watchIdle = (limitMs: number) => {
    const left = lastOutputAt + limitMs - clock.monotonic();
    if (left > 0) after(left, () => watchIdle(limitMs));
    else killFor("idle_timeout");
  };
  const exited = process.ended.then((end) => {
    for (const stopTimer of timers) stopTimer();
    const { exitCode, signal } = readEnd?.(end) ?? end;
    const why = end.kind === "lost" ? "supervisor_lost" : (reason ?? "exited");
    const exit: ProcessExit = { exitCode, signal, reason: why, durationMs: Math.round(clock.monotonic() - startedAt) };
    const seen = concludeAnomalies(end, signal, posture.network);
    if (gateway === undefined) return { exit, anomalies: seen };
    const { traffic, anomalies } = gateway.close();
    const said = new Set(anomalies.map(({ kind }) => kind));
    return { exit, anomalies: [...anomalies, ...seen.filter(({ kind }) => !said.has(kind))], traffic };
  });

  after(spec.timeoutMs, () => killFor("timeout"));
  if (spec.idleTimeoutMs !== undefined) watchIdle(spec.idleTimeoutMs);
  void feedInput(process, spec.stdin);
  return {
    posture,
    ...(gateway && { reached: gateway.reached }),
    exited,
    onOutput: (listener) =>
      process.onOutput((stream, chunk) => {
        lastOutputAt = clock.monotonic();
        listener(stream, chunk);
      }),
    write: (data) => process.write(data),
    endInput: () => process.endInput(),
    kill: (cause) => {
      if (cause === "cancelled") {
        killFor("cancelled");
      } else if (reason === undefined) {
        reason = "stopped";
        process.signal("SIGTERM");
        after(graceMs, () => process.signal("SIGKILL"));
      }
    },
  };
}

async function feedInput(process: ManagedProcess, stdin: ProcessSpec["stdin"]): Promise<void> {
  if (stdin === "pipe") return;
  if (stdin !== "closed") await process.write(stdin.text);
  process.endInput();
}

const networkMissed: Readonly<Record<NetworkAccess, string>> = {
  none: "The command tried to reach the network, which this run does not have.",
  filtered: "The command tried to reach the network directly; this run has only the proxy that HTTP_PROXY and HTTPS_PROXY name.",
  host: "The command tried to reach something that its network does not lead to.",
};

/**
 * All anomalies of an ended run, each kind once. They come from the kernel, the sandbox and how the run ended; what a program prints
 * says nothing about them, since it may print anything.
 */
function concludeAnomalies(end: LaunchEnd, signal: string | null, network: NetworkAccess): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const add = (when: boolean, kind: Anomaly["kind"], message: string) => {
    if (when) found.push({ kind, message });
  };
  add(end.networkMissed, "network_refused", networkMissed[network]);
  add(end.memoryLimitHit, "memory_limit", "A process was killed because the run reached its memory limit.");
  add(end.processLimitHit, "process_limit", "The run reached its limit of processes, so one could not be started or the run was ended.");
  add(end.cpuLimitHit, "cpu_limit", "The run was held back by its CPU limit for most of its time.");
  add(end.writtenLimitHit, "written_limit", "The run was ended because it had written more to disks than it may.");
  // A shell ends with 128 and the number of the signal that ended its command.
  const endedBy = (name: "SIGXFSZ" | "SIGSYS") => signal === name || end.exitCode === 128 + constants.signals[name];
  add(endedBy("SIGXFSZ"), "file_size_limit", "A file reached the size limit of this run.");
  add(endedBy("SIGSYS"), "seccomp", "A program made a system call that the sandbox kills for.");
  const were = end.leftovers === 1 ? "1 process was" : `${end.leftovers} processes were`;
  add(end.leftovers > 0, "leftover_processes", `${were} still running when the command ended, and killed.`);
  return found;
}

type OutputListener = (stream: "stdout" | "stderr", chunk: Buffer) => void;

/** Why a process did not come to run. */
export interface StartProblem {
  /** In our words. */
  readonly why: string;
  /** What it printed, or what the system said; for the operator alone. */
  readonly said: string;
  readonly exitCode: number | null;
}

/** One process of the spawner, with its output kept back until somebody listens. */
export class ManagedProcess {
  readonly #launched: Launched;
  readonly #clock: Clock;
  readonly #kept: { readonly stream: "stdout" | "stderr"; readonly chunk: Buffer; readonly taken: () => void }[] = [];
  readonly #ready = Promise.withResolvers<boolean>();
  readonly #ended = Promise.withResolvers<LaunchEnd>();
  #listener: OutputListener | undefined;
  /** False once the process is known to have ended. */
  alive = true;

  constructor(spawner: Spawner, request: LaunchRequest, clock: Clock) {
    this.#clock = clock;
    this.#launched = spawner.launch(request, {
      ready: () => this.#ready.resolve(true),
      output: (stream, chunk, taken) => this.#output(stream, chunk, taken),
      ended: (end) => {
        this.alive = false;
        this.#ready.resolve(false);
        this.#ended.resolve(end);
      },
    });
  }

  /** False when it ended before it was ready. */
  get ready(): Promise<boolean> {
    return this.#ready.promise;
  }

  get ended(): Promise<LaunchEnd> {
    return this.#ended.promise;
  }

  #output(stream: "stdout" | "stderr", chunk: Buffer, taken: () => void): void {
    if (this.#listener === undefined) {
      this.#kept.push({ stream, chunk, taken });
      return;
    }
    this.#listener(stream, chunk);
    taken();
  }

  onOutput(listener: OutputListener): void {
    this.#listener = listener;
    for (const { stream, chunk, taken } of this.#kept.splice(0)) this.#output(stream, chunk, taken);
  }

  /** Resolves with undefined when the process runs, or with the reason why it does not. */
  async waitUntilReady(limitMs: number): Promise<StartProblem | undefined> {
    let late = false;
    const stopTimer = this.#clock.after(limitMs, () => {
      late = true;
      this.signal("SIGKILL");
    });
    const ready = await this.#ready.promise;
    stopTimer();
    if (ready) return undefined;
    const { problem, kind, exitCode } = await this.ended;
    const printed = Buffer.concat(this.#kept.map(({ chunk }) => chunk))
      .toString()
      .trim()
      .slice(-2000);
    const why =
      kind === "lost" ? "lost the process that starts others" : late ? `was not ready within ${limitMs} ms` : "could not be started";
    return { why, said: problem ?? printed, exitCode };
  }

  write(data: string | Uint8Array): Promise<void> {
    return this.#launched.write(typeof data === "string" ? Buffer.from(data) : data);
  }

  endInput(): void {
    this.#launched.endInput();
  }

  command(data: Uint8Array): void {
    this.#launched.command(data);
  }

  signal(name: "SIGTERM" | "SIGKILL"): void {
    this.#launched.signal(name);
  }

  setIdle(idle: boolean): void {
    this.#launched.setIdle(idle);
  }
}
