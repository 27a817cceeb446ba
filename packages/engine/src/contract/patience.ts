/** How long a caller waits for an answer. */
export interface Patience {
  readonly ms: number;
  /** True when the caller hears of progress, and waits on for a call that it asked to take longer. */
  readonly renewable: boolean;
}
