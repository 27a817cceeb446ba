import type { ForeignKind } from "../contract/foreign.ts";
import type { SessionName } from "./session-store.ts";

/** That a session has read foreign content, for good. */
export interface ForeignMark {
  readonly kind: ForeignKind;
  readonly place?: string;
  readonly callId: string;
  readonly tool: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Which sessions have read foreign content. *Contract:* a mark is durable before `add` resolves, and nothing removes it but the tenant's end. */
export interface ForeignMarks {
  /** The first 50 of a session are kept; more change nothing. */
  add(session: SessionName, marks: readonly ForeignMark[]): Promise<void>;
  /** Of any of these sessions, oldest first. *Contract:* sees what any process added before it was asked. */
  of(tenant: string, sessions: readonly string[]): Promise<readonly ForeignMark[]>;
}
