import type { Fault } from "../contract/check-chain.ts";
import type { StoredEvent } from "../contract/events.ts";
import { type Anchor, type AnchoredHead, makeAnchor } from "../contract/log-anchor.ts";
import { definePort } from "./define-port.ts";

/** Where a session's log stands. */
export interface SessionHead {
  readonly tenant: string;
  readonly session: string;
  /** Sequence number of the last event, which is the count of events that were ever written. */
  readonly sequence: number;
  readonly hash: string;
  /** Milliseconds since the epoch, of the last event. */
  readonly lastAt: number;
  /** When that was written, by the clock of the store. */
  readonly writtenAt: number;
  /** What retention took from its beginning. */
  readonly removed?: { readonly through: number; readonly hash: string; readonly at: number };
}

export interface LoggedSessionFilter {
  /** All tenants without one, which is for operators alone. */
  readonly tenant?: string | undefined;
  /** All sessions without one. */
  readonly session?: string | undefined;
}

export interface EventPage {
  readonly tenant: string;
  readonly session: string;
  /** The sequence after which to begin. Default 0. */
  readonly after?: number;
  /** Default 10,000. */
  readonly limit?: number;
  /** Only those of this call. */
  readonly call?: string | undefined;
  /** False leaves out what calls put out while they ran. */
  readonly output?: boolean | undefined;
}

export interface FollowEventsOptions {
  readonly tenant: string;
  /** All sessions of the tenant without one, also those that begin later. */
  readonly session?: string | undefined;
  /** With a session: the sequence after which to begin. Default: with what is written from now on. */
  readonly after?: number | undefined;
  /** Calls back once, when nothing that is written from now on is missed. */
  readonly onReady?: () => void;
}

export interface VerifyOptions extends LoggedSessionFilter {
  /** Heads that were written down elsewhere: with them, a log that was cut off or written anew shows too. */
  readonly anchor?: Anchor | undefined;
}

export interface SessionReport {
  readonly tenant: string;
  readonly session: string;
  /** Events that were looked at. */
  readonly events: number;
  readonly faults: readonly Fault[];
  /** What retention took from its beginning, and when, in milliseconds since the epoch. */
  readonly removed?: { readonly through: number; readonly at: number };
}

/** Reads the event log of sessions. *Contract:* what belongs to another tenant answers as what there is not. */
export interface SessionReader {
  /** Heads, by tenant and session. */
  list(filter: LoggedSessionFilter): AsyncIterable<SessionHead>;
  /** Events of one session after a sequence, in order. */
  page(page: EventPage): Promise<readonly StoredEvent[]>;
  /** Events as they are written, by any process, until the signal aborts: in order within a session, each once, none left out. */
  follow(options: FollowEventsOptions, signal: AbortSignal): AsyncIterable<StoredEvent>;
  /** Checks chains from their beginning, one report a session; what is wrong is reported, not thrown. */
  verify(options: VerifyOptions): AsyncIterable<SessionReport>;
}

/** It reads what the engine's `events` keep. */
export const logPort = definePort<SessionReader>()("log", "a reader of the event log, such as createMemorySessionReader(events)");

/** Writes down where all sessions of a tenant, or of all tenants, stand. */
export async function anchorHeads(
  reader: Pick<SessionReader, "list">,
  { at, tenant }: { readonly at: number; readonly tenant?: string | undefined },
): Promise<Anchor> {
  const heads: AnchoredHead[] = [];
  for await (const head of reader.list({ tenant }))
    heads.push({
      tenant: head.tenant,
      session: head.session,
      sequence: head.sequence,
      hash: head.hash,
      removed: head.removed?.through ?? 0,
    });
  return makeAnchor(at, heads);
}
