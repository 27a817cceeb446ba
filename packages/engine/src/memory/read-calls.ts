import { type CallEvent, isCallEvent, type StoredEvent } from "../contract/events.ts";
import type { MemoryEventLog } from "./event-log.ts";

type StoredCallEvent = StoredEvent<CallEvent>;

export type StoredCall = readonly [StoredCallEvent, ...StoredCallEvent[]];

/** The events of each call of a tenant, oldest first, without what it put out in between. */
export async function readCalls(log: MemoryEventLog, tenant: string): Promise<readonly StoredCall[]> {
  const sessions = log.heads().filter((head) => head.tenant === tenant);
  const events = await Promise.all(sessions.map(({ session }) => log.read({ tenant, session })));
  const ofCalls = events
    .flat()
    .filter((stored): stored is StoredCallEvent => isCallEvent(stored.event) && stored.event.type !== "tool.output_appended");
  return [...Map.groupBy(ofCalls, ({ event }) => event.callId).values()].flatMap(([first, ...rest]) => (first ? [[first, ...rest]] : []));
}
