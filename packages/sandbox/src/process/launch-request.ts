/** One control group that the spawner makes for a run, and removes after it. */
export interface ControlGroup {
  /** Absolute folder in a cgroup file system. */
  readonly directory: string;
  /** Files of the group and what to write into them, in this order. */
  readonly settings: readonly (readonly [file: string, value: string])[];
  /** The file that a process writes 0 into to join. */
  readonly join: string;
}

/** What several runs share. */
export interface SharedGroups {
  readonly name: string;
  /** Made with the first run, around its own groups, and removed with the last. */
  readonly groups: readonly ControlGroup[];
  /** Processes of all runs together; 0 for no limit. Processes of sandboxes come on top. */
  readonly processes: number;
  readonly launcherProcesses: number;
}

/** Limits that no mechanism of the kernel holds here: they are looked at while the run is under way. */
export interface LimitWatch {
  /** Bytes of memory of all runs of the scope. */
  readonly memoryBytes?: number;
  /** Processes of all runs of the scope. */
  readonly processes?: number;
  /** Bytes that this run may write. */
  readonly writtenBytes?: number;
}

type Argv = readonly [string, ...string[]];

/** Commands, in the run's own `env`, for a run whose processes are not below the leader: those of a container engine. */
export interface RemoteRun {
  readonly terminate: Argv;
  readonly kill: Argv;
  /** After every run, killed or not. */
  readonly remove: Argv;
  /** Prints `true` when the ended run had reached its memory limit. */
  readonly outOfMemory?: Argv;
}

/** What the spawner needs to start one process; it judges nothing. */
export interface LaunchRequest {
  readonly argv: Argv;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /**
   * `spawn`: ready once it runs. `announced`: the program writes a byte to file descriptor 3 and may read a command there.
   * `printed`: standard output begins with `token`, which is no part of the output.
   */
  readonly readiness: "spawn" | "announced" | "printed";
  readonly token?: string;
  /** Base64; each is what a file descriptor holds, from 4 on. */
  readonly preloaded: readonly string[];
  readonly groups: readonly ControlGroup[];
  /** `NAME=value` in the environment of every process of the run, where no control group holds the tree together. */
  readonly marker?: string;
  /** The leader owns a pid namespace: with it everything is gone. */
  readonly leaderOwnsTree: boolean;
  readonly remote?: RemoteRun;
  /** Processes of this name die only by SIGKILL: they are the sandbox, not the program. */
  readonly launcherName?: string;
  readonly scope: SharedGroups;
  readonly watch: LimitWatch;
  /** True where nothing of the run happens before it was given its command. */
  readonly awaitsCommand?: boolean;
  /** Workspace-relative paths that must exist as mount points; the spawner creates them empty and removes them after the run. */
  readonly placeholders: { readonly workspace: string; readonly entries: readonly string[] };
}

/** How a run ended, as the spawner saw it. */
export interface LaunchEnd {
  readonly kind: "exited" | "failed" | "lost";
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why it could not be started, when `failed`. */
  readonly problem?: string;
  /** Processes that were still there after the leader ended by itself, and were killed. */
  readonly leftovers: number;
  readonly memoryLimitHit: boolean;
  readonly processLimitHit: boolean;
  readonly cpuLimitHit: boolean;
  readonly writtenLimitHit: boolean;
  /** The run had a network of its own, and tried to reach something that it does not lead to. */
  readonly networkMissed: boolean;
}

export const endWithout: Omit<LaunchEnd, "kind"> = {
  exitCode: null,
  signal: null,
  leftovers: 0,
  memoryLimitHit: false,
  processLimitHit: false,
  cpuLimitHit: false,
  writtenLimitHit: false,
  networkMissed: false,
};
