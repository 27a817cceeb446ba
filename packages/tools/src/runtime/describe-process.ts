import { constants } from "node:os";
import type { Posture } from "@toolwright/engine";
import type { ProcessExit, ProcessInfo } from "@toolwright/engine/ports";
import { z } from "zod";

export const processId = z.string().min(1).describe("Id of the process, as exec with background or process_list gave it.");

export const processAliases = { process_id: "id", processId: "id", session_id: "id", pid: "id" } as const;

const exitReason = z
  .enum(["exited", "timeout", "idle_timeout", "cancelled", "stopped", "supervisor_lost"])
  .describe("Why it ended: by itself, by a limit, by cancellation, on request, or because its supervisor was lost.");

/** How a process ended. */
export const exitSchema = z.object({
  exitCode: z.int().nullable().describe("Exit code, or null when a signal ended it."),
  signal: z.string().nullable().describe("Name of the signal that ended it, or null."),
  reason: exitReason,
  durationMs: z.int().describe("Milliseconds it ran."),
});

/** A background process. */
export const processSchema = z.object({
  id: z.string().describe("Pass it to the other process tools."),
  command: z.string().describe("The command line."),
  state: z.enum(["running", "exited"]).describe("Whether it still runs."),
  startedAt: z.number().describe("Milliseconds since the epoch."),
  exit: exitSchema.nullable().describe("How it ended, or null while it runs."),
  protection: z.string().describe("The sandbox it really has."),
});
export type DescribedProcess = z.infer<typeof processSchema>;

export function describeProcess({ id, command, state, startedAt, exit, posture }: ProcessInfo): DescribedProcess {
  return { id, command, state, startedAt, exit: exit ? pickExit(exit) : null, protection: describeProtection(posture) };
}

/** The members of an exit that the schema names. */
export function pickExit({ exitCode, signal, reason, durationMs }: z.infer<typeof exitSchema>): z.infer<typeof exitSchema> {
  return { exitCode, signal, reason, durationMs };
}

const networks: Record<Posture["network"], string> = {
  none: "no network",
  host: "the network of this machine",
  filtered: "a filtered network",
};

/** One line on the protection that a run really had. */
function describeProtection({ runtime, isolation, network }: Posture): string {
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
