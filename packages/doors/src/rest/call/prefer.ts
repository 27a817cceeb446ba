/** How a caller wants to be answered (RFC 7240). */
export interface Preference {
  /** Milliseconds to wait for the ending; afterwards, or at once for 0, the call runs on by itself. Undefined: for as long as it takes. */
  readonly waitMs: number | undefined;
  /** True: the result of a stream holds what was streamed as output, too (`return=representation`). */
  readonly isWhole: boolean;
  /** What an answer that follows it says in `Preference-Applied`. */
  readonly applied: string;
}

/** Longest wait that is honoured, in seconds. */
const longestWait = 3600;

/** Reads `respond-async`, `wait` and `return=representation`. Preferences that are not known are left alone, as RFC 7240 section 2 wants. */
export function readPreference(headers: Headers): Preference {
  const wanted = (headers.get("prefer") ?? "").split(",").map((each) => each.split(";", 1)[0]!.trim().toLowerCase());
  const isWhole = wanted.some((each) => /^return\s*=\s*"?representation"?$/.test(each));
  const wait = wanted.map((each) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(each)?.[1]).find((seconds) => seconds !== undefined);
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), longestWait);
    return { waitMs: seconds * 1000, isWhole, applied: `wait=${seconds}` };
  }
  const isAsync = wanted.includes("respond-async");
  return { waitMs: isAsync ? 0 : undefined, isWhole, applied: isAsync ? "respond-async" : "" };
}
