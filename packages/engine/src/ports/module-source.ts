/** One file that a tool is made of, or one package: its name from the source's folder, and a mark that differs when its content does. */
export type CodeMark = readonly [name: string, mark: string];

export interface LoadedModule {
  readonly default?: unknown;
  /** Everything that can run when the tool is called; an approval is bound to it. */
  readonly code?: readonly CodeMark[];
}

/** Files that a source leaves out by its own rule. */
export interface LeftOut {
  readonly file: string;
  readonly code: string;
  readonly message: string;
}

/** Where user tools come from. The engine does no I/O; an adapter reads the folder. */
export interface ModuleSource {
  /** Names for messages, e.g. the folder. */
  readonly name: string;
  /** Files that match `*.tool.ts` (or .js, .mjs), in a stable order. */
  list(): Promise<readonly string[]>;
  /** Imports the file afresh when it changed. *Contract:* rejects with the import's own error. */
  load(file: string): Promise<LoadedModule>;
  /** What the last `list` left out; absent for a source that leaves out nothing. */
  leftOut?(): readonly LeftOut[];
  /** Calls back, coalesced, after files changed; returns how to stop. */
  watch(onChange: () => void): () => void;
}
