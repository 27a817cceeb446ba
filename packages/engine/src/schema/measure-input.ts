export interface InputLimits {
  /** Bytes of UTF-8 in all texts and member names. Default 4 MiB. */
  readonly maxBytes?: number;
  /** Levels of nesting. Default 64. */
  readonly maxDepth?: number;
  /** Members and items in all. Default 50 000. */
  readonly maxKeys?: number;
}

/**
 * Says in one sentence why an input is too large to look at, or returns undefined. Runs before any parse: it keeps its own
 * stack, so depth cannot overflow it, and a cycle ends at the depth limit. What is not JSON is left to the parse.
 */
export function refuseOversized(input: unknown, limits: InputLimits = {}): string | undefined {
  const { maxBytes = 4 * 1024 * 1024, maxDepth = 64, maxKeys = 50_000 } = limits;
  const pending: unknown[] = [input];
  const depths: number[] = [0];
  let bytes = 0;
  let keys = 0;
  while (pending.length > 0) {
    const value = pending.pop();
    const depth = depths.pop()!;
    if (typeof value === "string") bytes += Buffer.byteLength(value);
    else if (typeof value === "object" && value !== null) {
      if (depth >= maxDepth) return `The input is nested deeper than ${maxDepth} levels, or contains itself. Send a flatter value.`;
      const names = Array.isArray(value) ? undefined : Object.keys(value);
      const count = names ? names.length : (value as unknown[]).length;
      keys += count;
      if (keys > maxKeys) return `The input has more than ${maxKeys} members and items. Send it in smaller parts.`;
      for (let index = 0; index < count; index++) {
        if (names) bytes += Buffer.byteLength(names[index]!);
        pending.push((value as Record<PropertyKey, unknown>)[names ? names[index]! : index]);
        depths.push(depth + 1);
      }
    }
    if (bytes > maxBytes) return `The input holds more than ${maxBytes} bytes of text. Send it in smaller parts, or as a file.`;
  }
  return undefined;
}
