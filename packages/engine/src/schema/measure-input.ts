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
  // A UTF-16 unit is at most three bytes of UTF-8: most inputs are far below, and need no counting.
  return measure(input, limits, atMostBytes) === undefined ? undefined : measure(input, limits, Buffer.byteLength);
}

const atMostBytes = (text: string) => text.length * 3;

function measure(
  input: unknown,
  { maxBytes = 4 * 1024 * 1024, maxDepth = 64, maxKeys = 50_000 }: InputLimits,
  bytesOf: (text: string) => number,
): string | undefined {
  const pending: object[] = [];
  const depths: number[] = [];
  let bytes = 0;
  let keys = 0;
  const take = (value: unknown, depth: number) => {
    if (typeof value === "string") bytes += bytesOf(value);
    else if (typeof value === "object" && value !== null) {
      pending.push(value);
      depths.push(depth);
    }
  };
  take(input, 0);
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    const depth = depths.pop()!;
    if (depth >= maxDepth) return `The input is nested deeper than ${maxDepth} levels, or contains itself. Send a flatter value.`;
    const names = Array.isArray(value) ? undefined : Object.keys(value);
    const count = names ? names.length : (value as readonly unknown[]).length;
    keys += count;
    if (keys > maxKeys) return `The input has more than ${maxKeys} members and items. Send it in smaller parts.`;
    for (let index = 0; index < count; index++) {
      if (names) bytes += bytesOf(names[index]!);
      take((value as Record<PropertyKey, unknown>)[names ? names[index]! : index], depth + 1);
    }
    if (bytes > maxBytes) break;
  }
  if (bytes > maxBytes) return `The input holds more than ${maxBytes} bytes of text. Send it in smaller parts, or as a file.`;
  return undefined;
}
