/** The protection a run really had, as opposed to what was asked for. It is part of the result and of the event. */
export interface Posture {
  /** Name of the sandbox runtime. */
  readonly runtime: string;
  readonly isolation: "none" | "namespaces" | "container";
  /** `none`: no route to anything but the run's own loopback. */
  readonly network: "none" | "host" | "filtered";
  /** Limits that the machine enforces on this run, each with its mechanism, e.g. `{ memory: "cgroup" }`. */
  readonly limits: Readonly<Record<string, string>>;
  /** Plain sentences on what this run did not have, for people. */
  readonly gaps: readonly string[];
}

/** Something abnormal about a process that ran (X9). */
export interface Anomaly {
  readonly kind: "network_refused" | "memory_limit" | "process_limit" | "file_size_limit" | "cpu_limit" | "seccomp" | "leftover_processes";
  readonly message: string;
}
