export interface CloneSpec {
  /** https URL of the repository, as people write it; without user name, query or fragment. */
  readonly url: string;
  /** Folder to make, relative to the workspace; there must be nothing at that path. */
  readonly path: string;
  /** Where something is at that path, the next name that is free gets the clone: `name-2`, `name-3`. Default: it is refused (`file_exists`). */
  readonly orNextName?: boolean;
  /** Branch or tag. Default: the branch that the repository names. */
  readonly ref?: string;
  /** Commits of history. Default: all. */
  readonly depth?: number;
  /** Name of a secret that an operator bound to the origin of the URL; it is sent there as a password, and neither git nor the tool sees it. */
  readonly credential?: string;
  /** Counts of the phase that git is in. */
  readonly onProgress?: (done: number, total: number, phase: string) => void;
}

export interface ClonedRepository {
  readonly ok: true;
  /** Relative to the workspace. */
  readonly path: string;
  /** Null when a tag was checked out. */
  readonly branch: string | null;
  /** Null when the repository is empty. */
  readonly commit: string | null;
  /** Sentences on what is missing or needs a look before it is used. */
  readonly warnings: readonly string[];
}

/** A clone that did not come about, for a reason that lies with the repository or the request. */
export interface CloneProblem {
  readonly ok: false;
  readonly code:
    | "repository_not_found"
    | "credentials_needed"
    | "repository_moved"
    | "ref_not_found"
    | "repository_too_large"
    | "too_much_output"
    | "git_failed";
  /** What happened and what to do. */
  readonly message: string;
}

/**
 * Copies repositories into the workspace. *Contract:* all or nothing: the folder is there whole, or nothing of it is. The connection goes only to a
 * checked address of the judged host and follows no redirect; git runs no hook, filter or helper, clones no submodule, reads no configuration of the machine, and
 * never holds a token: an operator binds one to an exact origin, and it is sent to that origin alone. Rejects with `url_refused`, `name_not_resolved`,
 * `connection_failed`, `path_refused`, `file_exists`, `secret_missing` (not set, or not fit to be sent), `secret_unreadable`, `approval_void`,
 * `sandbox_unavailable`, `spawn_failed`, `timeout` or `workspace_missing`.
 */
export interface Git {
  clone(spec: CloneSpec): Promise<ClonedRepository | CloneProblem>;
}
