import { definePort } from "./define-port.ts";

/** How many went, by what they are; nothing that is zero. */
export type Removed = Readonly<Record<string, number>>;

/** Sessions that are old. */
export interface OldSessions {
  /** Milliseconds since the epoch: sessions without an event since then. */
  readonly before: number;
  /** All tenants without one. */
  readonly tenant?: string | undefined;
  /** Only counts what would go. */
  readonly dryRun?: boolean | undefined;
}

/** What went with sessions. */
export interface SessionCounts {
  readonly sessions: number;
  readonly events: number;
  readonly artifacts: number;
  /** Messages of conversations with agents. */
  readonly messages: number;
}

/** Removes what is over and was kept for its time. *Contract:* for whoever runs the server; of all processes one at a time; each step is small, and whole or nothing. */
export interface RetentionAdmin {
  /** Removes it now. Undefined when another process is at it. Stops between two steps when the signal says so; what is left goes the next time. */
  tidy(signal?: AbortSignal): Promise<Removed | undefined>;
  /** What `tidy` would remove. */
  preview(): Promise<Removed>;
  /** Removes sessions that are older than the caller says, whatever is set. */
  removeSessions(old: OldSessions): Promise<SessionCounts>;
}

export const retentionPort = definePort<RetentionAdmin>()("retention", "who removes what is over, such as a store of @toolwright/postgres");

/** `1 session, 40 events` */
export function describeRemoved(removed: Removed): string {
  const parts = Object.entries(removed).map(([what, count]) => `${count} ${count === 1 ? what.replace(/s$/, "") : what}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}
