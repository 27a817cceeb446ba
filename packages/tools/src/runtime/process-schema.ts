import type { ProcessInfo } from "@toolwright/engine/ports";
import { z } from "zod";
import { describeProtection } from "./describe-run.ts";

export const processId = z.string().min(1).describe("Id of the process, as exec with background or process_list gave it.");

export const processAliases = { process_id: "id", processId: "id", session_id: "id", pid: "id" } as const;

export const exitReason = z
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
