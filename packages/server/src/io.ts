/** What the parts of this package have of the process that holds them. They reach nothing else of it, so that a test can stand in for all of it. */
export interface ServerIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Notices for the operator. */
  err(text: string): void;
  /** True when a person can be asked now. */
  readonly isInteractive: boolean;
  /** Asks that person; undefined when nobody answers. */
  ask(question: string): Promise<string | undefined>;
}
