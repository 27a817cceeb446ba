export interface SyncOptions {
  /** Unique name of this process: what it serves is not gone while it lives. */
  readonly process: string;
  /** False when some tools could not be loaded: then nothing is taken for gone. Default true. */
  readonly complete?: boolean;
  /** Tools that this process had before, in this run: they are not gone before it ends. */
  readonly alsoServed?: readonly string[];
  /** Milliseconds that a process may be silent before what it served is gone. Default 5 minutes. */
  readonly graceMs?: number;
}

export interface RenewOptions extends SyncOptions {
  /** Tools that were held when this process synced. What came later is newer than this process, which then has no say over it. */
  readonly held: readonly string[];
}

/** Something that was enabled and is no more. Without an agent: the tenant had opted in. */
export interface LostEnablement {
  readonly tenant: string;
  readonly agent: string | undefined;
  readonly source: "manual" | "default" | "skill" | "tenant";
  readonly skill: string | undefined;
}

export interface RemovedTool {
  readonly tool: string;
  /** A newer tool with the same definition. */
  readonly renamedTo: string | undefined;
  readonly lost: readonly LostEnablement[];
}

export interface SyncReport {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly RemovedTool[];
  /** Not here, and kept: other processes serve them, or did lately; or some tools could not be loaded. */
  readonly held: readonly { readonly tool: string; readonly by: readonly string[] }[];
}

export const defaultGraceMs = 5 * 60 * 1000;
