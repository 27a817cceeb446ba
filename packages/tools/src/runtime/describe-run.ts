import { constants } from "node:os";
import type { Posture } from "@toolwright/engine";
import type { ProcessExit } from "@toolwright/engine/ports";

const networks: Record<Posture["network"], string> = {
  none: "no network",
  host: "the network of this machine",
  filtered: "a filtered network",
};

/** One line on the protection that a run really had. */
export function describeProtection({ runtime, isolation, network }: Posture): string {
  const isolated = isolation === "none" ? "no isolation" : `${isolation} isolation`;
  return `Ran in ${runtime} with ${isolated} and ${networks[network]}.`;
}

const endings: Record<ProcessExit["reason"], string> = {
  exited: "ended by itself",
  timeout: "killed: it reached its time limit",
  idle_timeout: "killed: it gave no output for too long",
  cancelled: "killed: the call was cancelled",
  stopped: "stopped on request",
  supervisor_lost: "lost: what supervised it ended, so its outcome is unknown",
};

/** One line on how a process ended. */
export function describeExit({ exitCode, signal, reason, durationMs }: ProcessExit): string {
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const how = exitCode !== null ? `exit code ${exitCode}` : signal !== null ? `signal ${signal}` : "no exit code";
  return reason === "exited" ? `${how} (${seconds})` : `${how}, ${endings[reason]} (${seconds})`;
}

/** As a shell tells it: 124 for a time limit, 128 and the number of a signal. */
export function exitCodeOf({ exitCode, signal, reason }: Pick<ProcessExit, "exitCode" | "signal" | "reason">): number {
  if (exitCode !== null) return exitCode;
  if (reason === "timeout" || reason === "idle_timeout") return 124;
  return signal === null ? 1 : 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
