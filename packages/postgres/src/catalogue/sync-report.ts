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

export const defaultGraceMs = 5 * 60 * 1000;
