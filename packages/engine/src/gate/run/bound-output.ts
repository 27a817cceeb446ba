import type { Truncation } from "../../contract/call.ts";
import type { Json } from "../../contract/json.ts";

/** Bytes of JSON; a result that a model reads should be far smaller. */
export const defaultMaxOutputBytes = 100_000;

const smallestString = 512;

export interface Bounded {
  readonly output: Json;
  readonly truncations: readonly Truncation[];
}

/** Bytes of a value as JSON. */
export function jsonBytes(value: Json): number {
  return Buffer.byteLength(JSON.stringify(value), "utf8");
}

/**
 * Cuts long strings to head and tail, then long arrays to their beginning, until the value fits. The shape stays.
 * Undefined when it cannot be made to fit: too many small members.
 */
export function boundOutput(output: Json, maxBytes: number, artifact: string | undefined): Bounded | undefined {
  for (let longest = Math.max(smallestString, Math.floor(maxBytes / 2)); longest >= smallestString; longest = Math.floor(longest / 2)) {
    const bounded = cut(output, { longest, mostItems: Number.POSITIVE_INFINITY, artifact });
    if (jsonBytes(bounded.output) <= maxBytes) return bounded;
  }
  for (let mostItems = 4096; mostItems >= 1; mostItems = Math.floor(mostItems / 2)) {
    const bounded = cut(output, { longest: smallestString, mostItems, artifact });
    if (jsonBytes(bounded.output) <= maxBytes) return bounded;
  }
  return undefined;
}

interface Cut {
  readonly longest: number;
  readonly mostItems: number;
  readonly artifact: string | undefined;
}

function cut(output: Json, rules: Cut): Bounded {
  const truncations: Truncation[] = [];
  const walk = (value: Json, path: string): Json => {
    if (typeof value === "string") return cutString(value, path, { ...rules, truncations });
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      const kept = value.slice(0, rules.mostItems);
      if (kept.length < value.length)
        truncations.push(truncation(path, { unit: "items", total: value.length, kept: kept.length }, rules.artifact));
      return kept.map((item: Json, index) => walk(item, `${path}/${index}`));
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, walk(item, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`)]),
    );
  };
  return { output: walk(output, ""), truncations };
}

function truncation(path: string, amount: Pick<Truncation, "unit" | "total" | "kept">, artifact: string | undefined): Truncation {
  return { path, ...amount, ...(artifact !== undefined && { artifact }) };
}

function cutString(text: string, path: string, rules: Cut & { truncations: Truncation[] }): string {
  // A UTF-16 unit is at most three bytes of UTF-8, so a short text needs no counting.
  if (text.length * 3 <= rules.longest) return text;
  const total = Buffer.byteLength(text, "utf8");
  if (total <= rules.longest) return text;
  const half = Math.floor((rules.longest - 150) / 2);
  // Of a long text only its ends are encoded: a unit is at least one byte.
  const head = decodeWhole(Buffer.from(text.slice(0, half), "utf8").subarray(0, half), "end");
  const end = Buffer.from(text.slice(-half), "utf8");
  const tail = decodeWhole(end.subarray(Math.max(0, end.length - half)), "start");
  const kept = Buffer.byteLength(head, "utf8") + Buffer.byteLength(tail, "utf8");
  rules.truncations.push(truncation(path, { unit: "bytes", total, kept }, rules.artifact));
  return `${head}\n[... ${total - kept} bytes left out ...]\n${tail}`;
}

/** Decodes without the partial character that a cut leaves at one end. */
function decodeWhole(bytes: Uint8Array, cutAt: "start" | "end"): string {
  const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
  let start = 0;
  let end = bytes.length;
  if (cutAt === "start") {
    while (start < end && isContinuation(bytes[start])) start += 1;
    return Buffer.from(bytes.subarray(start)).toString("utf8");
  }
  let lead = end - 1;
  while (lead > 0 && isContinuation(bytes[lead])) lead -= 1;
  const first = bytes[lead] ?? 0;
  const width = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  if (lead + width > end) end = lead;
  return Buffer.from(bytes.subarray(0, end)).toString("utf8");
}
