import type { Posture } from "@toolwright/engine";
import type { Clock, ProcessExit, ProcessHandle, ProcessSpec } from "@toolwright/engine/ports";
import type { Gateway } from "../egress/open-gateway.ts";
import { concludeAnomalies } from "./anomaly.ts";
import type { LaunchEnd } from "./launch-request.ts";
import type { ManagedProcess } from "./managed-process.ts";

export interface Supervision {
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
