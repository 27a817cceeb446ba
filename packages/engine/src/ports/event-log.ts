import type { CallEvent, StoredEvent } from "../contract/events.ts";

/** The append-only log. */
export interface EventLog {
  /**
   * Appends in order and returns when the events are as durable as the log makes them.
   * *Contract:* gapless `sequence` and hash chain per session; rejects when nothing was written; never edits or removes.
   */
  append(events: readonly CallEvent[]): Promise<void>;
  /** Events of one session of one tenant after `sequence` (0 for all), in order. */
  read(query: { tenant: string; session: string; after?: number; limit?: number }): Promise<readonly StoredEvent[]>;
}
