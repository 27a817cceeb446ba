/** How a caller wants to be answered (RFC 7240). */
export interface Preference {
  /** Milliseconds to wait for the ending; afterwards, or at once for 0, the call runs on by itself. Undefined: for as long as it takes. */
  readonly waitMs: number | undefined;
  /** What an answer that follows it says in `Preference-Applied`. */
  readonly applied: string;
}

/** Longest wait that is honoured, in seconds. */
const longestWait = 3600;

/** Reads `respond-async` and `wait`. Preferences that are not known are left alone, as RFC 7240 section 2 wants. */
export function readPreference(headers: Headers): Preference {
  const wanted = (headers.get("prefer") ?? "").split(",").map((each) => each.split(";", 1)[0]!.trim().toLowerCase());
  const wait = wanted.map((each) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(each)?.[1]).find((seconds) => seconds !== undefined);
  if (wait !== undefined) {
    const seconds = Math.min(Number(wait), longestWait);
    return { waitMs: seconds * 1000, applied: `wait=${seconds}` };
  }
  return wanted.includes("respond-async") ? { waitMs: 0, applied: "respond-async" } : { waitMs: undefined, applied: "" };
}
