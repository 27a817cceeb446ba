import type { SessionEvent, StoredEvent } from "../contract/events.ts";
import type { Tenants } from "./tenant-store.ts";

/** The append-only log. */
export interface EventLog {
  /** The tenants whose events it takes; absent when it takes those of any. An engine on the log runs nothing for another one. */
  readonly tenants?: Tenants;
  /**
   * Appends in order and returns when the events are as durable as the log makes them.
   * Where `mayWait` is true nobody waits for them: they may be gathered with later ones for a small part of a second, and are written in order
   * all the same, never after what comes later.
   * *Contract:* gapless `sequence` and hash chain per session; rejects when nothing was written; never edits or removes. Rejects with `call_lost` where the
   * call was ended in the place of this process, and with `event_refused` where `checkEvent` throws for one of them.
   */
  append(events: readonly SessionEvent[], options?: { readonly mayWait?: boolean }): Promise<void>;
  /** Events of one session of one tenant after `sequence` (0 for all), in order. */
  read(query: { tenant: string; session: string; after?: number; limit?: number }): Promise<readonly StoredEvent[]>;
}
