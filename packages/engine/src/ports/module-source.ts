/** Where user tools come from. The engine does no I/O; an adapter reads the folder. */
export interface ModuleSource {
  /** Names for messages, e.g. the folder. */
  readonly name: string;
  /** Files that match `*.tool.ts` (or .js, .mjs), in a stable order. */
  list(): Promise<readonly string[]>;
  /** Imports the file afresh when it changed. *Contract:* rejects with the import's own error. */
  load(file: string): Promise<{ readonly default?: unknown }>;
  /** Calls back, coalesced, after files changed; returns how to stop. */
  watch(onChange: () => void): () => void;
}
