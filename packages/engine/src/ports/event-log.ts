import type { CallResult } from "../contract/call.ts";
import type { SessionEvent, StoredEvent } from "../contract/events.ts";
import type { IdempotencyClaim, IdempotencyOwner, IdempotencyStore } from "./idempotency-store.ts";
import type { Tenants } from "./tenant-store.ts";

/** How the call of a key ended. */
export interface KeySettlement {
  readonly owner: IdempotencyOwner;
  readonly result: CallResult;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What is written of an idempotency key with an event: the claim with the start of its call, or the result with its ending. */
export type KeyWrite =
  | { readonly claim: IdempotencyClaim; readonly settlement?: undefined }
  | { readonly settlement: KeySettlement; readonly claim?: undefined };

/** What `append` rejects with when another call has the key. */
export class KeyTaken extends Error {
  constructor() {
    super("Another call has the idempotency key.");
    this.name = "KeyTaken";
  }
}

export interface AppendOptions {
  readonly mayWait?: boolean;
  /** Only for a log with `keys`. */
  readonly key?: KeyWrite;
}

/** The append-only log. */
export interface EventLog {
  /** The tenants whose events it takes; absent when it takes those of any. An engine on the log runs nothing for another one. */
  readonly tenants?: Tenants;
  /** The store whose keys `append` writes with events; absent where each is written by itself. */
  readonly keys?: IdempotencyStore;
  /**
   * Appends in order and returns when the events are as durable as the log makes them.
   * Where `mayWait` is true nobody waits for them: they may be gathered with later ones for a small part of a second, and are written in order
   * all the same, never after what comes later.
   * *Contract:* gapless `sequence` and hash chain per session; rejects when nothing was written; never edits or removes. Rejects with `call_lost` where the
   * call was ended in the place of this process, and with `event_refused` where `checkEvent` throws for one of them. The events and `key` are
   * written together or not at all; rejects with `KeyTaken` where another call has the key.
   */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
  /** Events of one session of one tenant after `sequence` (0 for all), in order. */
  read(query: { tenant: string; session: string; after?: number; limit?: number }): Promise<readonly StoredEvent[]>;
}
