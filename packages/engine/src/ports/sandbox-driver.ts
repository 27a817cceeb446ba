import type { Anomaly, HostTraffic, NetworkAccess, Posture } from "../contract/posture.ts";
import type { ProcessExit } from "./exec.ts";
import type { NetworkRules, ResourceLimits } from "./policy-rules.ts";

/** A folder beside the workspace that a run reaches by its own path. */
export interface BoundFolder {
  /** Absolute; the operator's, never from a tool's input. It exists. */
  readonly path: string;
  readonly writable: boolean;
  /** Relative to the folder, as `sealedPaths` of the workspace. */
  readonly sealedPaths?: readonly string[];
  /** Relative to the folder, as `hiddenPaths` of the workspace. */
  readonly hiddenPaths?: readonly string[];
}

export interface ProcessSpec {
  /** Either an argv that runs without a shell, or the text of a command line. */
  readonly program: { readonly argv: readonly [string, ...string[]] } | { readonly shell: string };
  /** Absolute host path of the workspace; the operator's, never from a tool's input. */
  readonly workspace: string;
  /** Relative to the workspace, already confined; "." for its root. */
  readonly workdir: string;
  readonly writable: boolean;
  /** The whole environment of the child, beside what the driver itself needs (PATH, HOME, LANG). */
  readonly env: Readonly<Record<string, string>>;
  readonly network: NetworkAccess;
  /** What `filtered` permits; without it nothing is. */
  readonly networkRules?: NetworkRules;
  /** In place of the driver's defaults. */
  readonly limits: ResourceLimits;
  /** Beside `limits` and the defaults: the strictest holds. */
  readonly tighterLimits?: ResourceLimits;
  /** Workspace-relative paths that must not be written, also when missing. */
  readonly protectedPaths: readonly string[];
  /** Workspace-relative entries that exist and must be neither written nor replaced; one that is gone by then stays so. */
  readonly sealedPaths?: readonly string[];
  /** Workspace-relative files and folders that must neither be read nor written: the program finds something empty in their place. */
  readonly hiddenPaths?: readonly string[];
  /** Where there is no isolation a run reaches all folders of the machine. Default: none. */
  readonly folders?: readonly BoundFolder[];
  readonly stdin: "closed" | "pipe" | { readonly text: string };
  /** Milliseconds; `idleTimeoutMs` restarts with each output. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs?: number;
}

/** What is known of a process when it has ended. */
export interface ProcessReport {
  readonly exit: ProcessExit;
  readonly anomalies: readonly Anomaly[];
  /** Traffic over a filtered network by host and port, in the order of first use. */
  readonly traffic?: readonly HostTraffic[];
}

export interface ProcessHandle {
  readonly posture: Posture;
  /** Hosts that it was connected to so far, as HOST:PORT; undefined where nobody counts them. */
  readonly reached?: (() => readonly string[]) | undefined;
  /** Set before the first output can come. *Contract:* the listener must not throw. */
  onOutput(listener: (stream: "stdout" | "stderr", chunk: Uint8Array) => void): void;
  write(data: string | Uint8Array): Promise<void>;
  endInput(): void;
  /** Kills the whole tree; `exited` settles soon after. */
  kill(reason: "cancelled" | "stopped"): void;
  /** Never rejects. Resolves after the last output. */
  readonly exited: Promise<ProcessReport>;
}

export interface DriverTraits {
  readonly isolation: Posture["isolation"];
  readonly networks: readonly NetworkAccess[];
}

export interface DriverProbe {
  readonly available: boolean;
  /** Why not, or what version. */
  readonly detail: string;
  /** How to get it or get more, as a command to run where there is one. */
  readonly remedy?: string;
  /** Limits that can be enforced here, with their mechanism. */
  readonly limits: Readonly<Partial<Record<keyof ResourceLimits, string>>>;
  /** What holds of them where the policy names nothing. */
  readonly defaults?: ResourceLimits;
  /** Default limits that this machine cannot give, in sentences. */
  readonly gaps?: readonly string[];
}

/** Where processes run. An adapter is one file and passes `driverConformance`. */
export interface SandboxDriver {
  readonly name: string;
  readonly traits: DriverTraits;
  /** Cached after the first call. */
  probe(): Promise<DriverProbe>;
  /** Rejects with `sandbox_unavailable`, `limit_unenforceable`, `workspace_missing` or `spawn_failed`. */
  start(spec: ProcessSpec): Promise<ProcessHandle>;
  /** Ends everything that still runs. */
  close(): Promise<void>;
}
