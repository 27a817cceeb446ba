/** Where a call stands that another call made: in the tree below `root`. */
export interface CallPlace {
  /** Id of the call that began the tree. */
  readonly root: string;
  /** Id of the call that made this one. */
  readonly parent: string;
  /** What the parent calls it: unique among the calls of one parent. */
  readonly step: string;
  /** 1 for what the root calls. */
  readonly depth: number;
  /** Names of the tools from the root down to the parent. */
  readonly chain: readonly string[];
}
