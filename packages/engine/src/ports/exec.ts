import type { ArtifactRef, Truncation } from "../contract/call.ts";
import type { Patience } from "../contract/patience.ts";
import type { Anomaly, HostTraffic, Posture } from "../contract/posture.ts";

export interface CommandSpec {
  /** A command line for bash (sh where there is none). It must be one that the call's decision covered. */
  readonly command: string;
  /** Folder in the workspace to run in. */
  readonly workdir?: string | null;
  /** Milliseconds; the policy's limit caps it while the call waits. */
  readonly timeoutMs?: number;
  /** Bytes of stdout and of stderr that the result holds; the policy's limit caps it. The whole goes to an artifact. */
  readonly maxOutputBytes?: number;
  readonly stdin?: string;
}

/** How a process ended; exactly one of `exitCode` and `signal` is set when it ended by itself. */
export interface ProcessExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly reason: "exited" | "timeout" | "idle_timeout" | "cancelled" | "stopped" | "supervisor_lost";
  readonly durationMs: number;
}

export interface CommandResult extends ProcessExit {
  /** Terminal escapes are removed; when cut, head and tail with a line between that says how much is missing. */
  readonly stdout: string;
  readonly stderr: string;
  /** Paths are `/stdout` and `/stderr`. */
  readonly truncations: readonly Truncation[];
  readonly artifacts: readonly ArtifactRef[];
  readonly posture: Posture;
  readonly anomalies: readonly Anomaly[];
  /** Traffic over a filtered network by host and port. */
  readonly traffic?: readonly HostTraffic[];
}

export interface ProcessInfo {
  readonly id: string;
  readonly command: string;
  readonly state: "running" | "exited";
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly exit?: ProcessExit;
  readonly posture: Posture;
}

export interface ProcessOutput {
  readonly text: string;
  /** Pass it to the next read. */
  readonly cursor: number;
  /** Bytes that fell out of the buffer before this text. */
  readonly missed: number;
  readonly info: ProcessInfo;
}

/** Background processes of this tenant, agent and session, and of no other, to look at. Unknown and foreign ids alike: `process_not_found`. */
export interface WatchProcesses {
  list(): Promise<readonly ProcessInfo[]>;
  /** Waits up to `waitMs` for output after `cursor` or for the end (long poll). */
  read(id: string, options?: { readonly cursor?: number; readonly waitMs?: number; readonly maxBytes?: number }): Promise<ProcessOutput>;
}

/** Processes that a tool watches and stops. */
export interface Processes extends WatchProcesses {
  /** Ends the whole tree: SIGTERM, then SIGKILL after a grace. */
  stop(id: string): Promise<ProcessInfo>;
}

/**
 * Runs commands in the sandbox that the policy demands. *Contract:* the whole process tree is gone when the call ends
 * by time or abort; a command that the policy does not allow rejects with `command_refused`.
 */
export interface Exec extends Processes {
  /** What a process reads may be commands, so writing weighs as much as running one. */
  write(id: string, data: string, options?: { readonly end?: boolean }): Promise<void>;
  run(spec: CommandSpec): Promise<CommandResult>;
  /**
   * Runs a command for a caller that waits no longer than its patience: a command that still runs then goes on in the background, with the time that it was
   * given or that background processes have. One that was asked to run longer, and may, is waited for when the patience is renewable.
   */
  runWithin(spec: CommandSpec, patience: Patience): Promise<CommandResult | ProcessOutput>;
  /** Starts in the background; the process outlives the call, not the session or the server. */
  start(spec: CommandSpec): Promise<ProcessInfo>;
}
