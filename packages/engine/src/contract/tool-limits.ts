/** Limits of one call of a tool, in milliseconds and bytes. */
export interface ToolLimits {
  /** Milliseconds in all. Default 5 minutes. */
  readonly timeoutMs?: number;
  /** Milliseconds without progress or output. Default: none beside the total. */
  readonly idleMs?: number;
  /** Bytes of JSON that a result may hold. Default 100 000. */
  readonly maxOutputBytes?: number;
}
