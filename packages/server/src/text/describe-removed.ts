import type { Removed } from "@toolwright/postgres";

/** `1 session, 40 events` */
export function describeRemoved(removed: Removed): string {
  const parts = Object.entries(removed).map(([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, "") : what}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
