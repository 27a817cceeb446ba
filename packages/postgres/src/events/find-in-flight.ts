import type { CallEvent, EventType } from "@toolwright/engine";

const endings: ReadonlySet<EventType> = new Set([
  "tool.completed",
  "tool.failed",
  "tool.cancelled",
  // It ran, and waits now without a process.
  "tool.needs_approval",
]);

/** Calls that a batch starts and leaves running, and calls of earlier batches that it ends; null for none. */
export function findInFlight(events: readonly CallEvent[]): { starting: readonly string[] | null; ending: readonly string[] | null } {
  const starting = new Set<string>();
  const ending: string[] = [];
  for (const { type, callId, data } of events) {
    // What another program runs does not end with this one.
    if (data.elsewhere === true) continue;
    if (type === "tool.started") starting.add(callId);
    else if (endings.has(type) && !starting.delete(callId)) ending.push(callId);
  }
  return { starting: starting.size > 0 ? [...starting] : null, ending: ending.length > 0 ? ending : null };
}
