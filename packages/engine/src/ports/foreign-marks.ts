import type { ForeignMark } from "../contract/foreign.ts";
import type { SessionName } from "./session-store.ts";

/** Marks that a session keeps: the first ones. */
export const mostForeignMarks = 50;

/**
 * What sessions have read that nobody here wrote.
 * *Contract:* a mark is durable before `add` resolves, and nothing removes it but the tenant's end. A place is kept once, with the call that read it
 * first; of a session the first `mostForeignMarks` are kept, and more change nothing.
 */
export interface ForeignMarks {
  add(session: SessionName, marks: readonly ForeignMark[]): Promise<void>;
  /** Marks of any of these sessions, oldest first. *Contract:* has what any process added before it was asked. */
  of(tenant: string, sessions: readonly string[]): Promise<readonly ForeignMark[]>;
}

/** Equal for marks of one place. */
export const keyOfMark = ({ kind, place }: Pick<ForeignMark, "kind" | "place">): string => JSON.stringify([kind, place ?? null]);
