/**
 * What a run may reach. `none`: nothing but its own loopback. `filtered`: the same, and through a proxy the hosts that the network rules
 * permit. `host`: whatever this machine reaches, its loopback included.
 */
export type NetworkAccess = "none" | "filtered" | "host";

/** The protection a run really had, as opposed to what was asked for. It is part of the result and of the event. */
export interface Posture {
  /** Name of the sandbox runtime. */
  readonly runtime: string;
  readonly isolation: "none" | "namespaces" | "container";
  readonly network: NetworkAccess;
  /** Limits that the machine enforces on this run, each with its mechanism, e.g. `{ memory: "cgroup" }`. */
  readonly limits: Readonly<Record<string, string>>;
  /** Plain sentences on what this run did not have, for people. */
  readonly gaps: readonly string[];
}

/** What a run with a filtered network asked of one host and port. */
export interface HostTraffic {
  /** Lower case; IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Connections that were opened, and that were refused or failed. */
  readonly allowed: number;
  readonly refused: number;
  /** Bytes from the run, and to it. */
  readonly sent: number;
  readonly received: number;
}

/** What can be abnormal about how a call went. */
export const anomalyKinds = [
  "network_refused",
  "memory_limit",
  "process_limit",
  "file_size_limit",
  "written_limit",
  "cpu_limit",
  "seccomp",
  "leftover_processes",
  "git_metadata",
  "credentials_hidden",
  "time_limit",
  "not_recorded",
] as const;

/** Something abnormal about how the call went, of a process that ran or of its record. */
export interface Anomaly {
  readonly kind: (typeof anomalyKinds)[number];
  readonly message: string;
}
