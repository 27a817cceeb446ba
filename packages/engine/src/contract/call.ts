import type { CallPlace } from "./call-place.ts";
import type { ContentBlock } from "./content.ts";
import type { Decision } from "./decision.ts";
import type { ErrorCode } from "./errors.ts";
import type { ForeignNotice } from "./foreign.ts";
import type { Json } from "./json.ts";
import type { Anomaly, Posture } from "./posture.ts";
import type { CallUsage } from "./usage.ts";

/** A change that parsing made to the input, so that nothing is repaired in silence. */
export interface Repair {
  /** JSON pointer into the input. */
  readonly path: string;
  readonly what: string;
}

/** A stored whole of something that was cut, or a file that a tool saved. */
export interface ArtifactRef {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
}

/** A place where the output was cut (law 5). */
export interface Truncation {
  /** JSON pointer into the output. */
  readonly path: string;
  /** Bytes of UTF-8 before and after the cut; array cuts count items. */
  readonly unit: "bytes" | "items";
  readonly total: number;
  readonly kept: number;
  /** Holds the whole, or is absent when it could not be kept. */
  readonly artifact?: string;
}

/**
 * Why a call did not end as `done`: a stable code, and a message that says what happened, to what, and what to do. Safe to show to a
 * model.
 */
export interface CallError {
  readonly code: ErrorCode;
  /** The tool's own code, from `fail(code, message)`. */
  readonly toolCode?: string;
  readonly message: string;
  readonly details?: Json;
}

/** What a pending call tells the caller about its approval. */
export interface ApprovalNotice {
  readonly id: string;
  /** What a person is asked, in one line: what would happen. It never stands in place of the whole input. */
  readonly summary: string;
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface CallFacts {
  readonly callId: string;
  readonly tool: string;
  /** Where the call stands in its tree; present when another call made it. */
  readonly place?: CallPlace;
  /** Whole milliseconds. */
  readonly durationMs: number;
  readonly repairs: readonly Repair[];
  /** Absent when no process ran. */
  readonly posture?: Posture | undefined;
  readonly anomalies: readonly Anomaly[];
  readonly artifacts: readonly ArtifactRef[];
  /**
   * What the caller has to know beside the answer, each a sentence: repairs, cuts and where the whole is, what was abnormal, missing protection
   * that the session was not told of yet. Every door shows them where its clients look. Absent when there is nothing to say.
   */
  readonly notes?: readonly string[];
  /** Usage that the tool reported; absent when it reported none. */
  readonly usage?: CallUsage;
  /** True when nothing ran now: this is how the first call with the same idempotency key ended. */
  readonly replayed?: boolean;
}

/** @typeParam Output - of the tool's schema, where the compiler knows the tool. */
export interface DoneResult<Output = Json> extends CallFacts {
  readonly status: "done";
  /** Validated, redacted and bounded. */
  readonly output: Output;
  /** The tool's view for a model; `notes` stand beside it. */
  readonly content: readonly ContentBlock[];
  readonly truncations: readonly Truncation[];
  /** Exit code of the command that the tool ran for the caller; absent without a command, or while it runs. */
  readonly exitCode?: number;
  /** The sensitive members of the output, encrypted: only in a result that a store keeps, whose `output` has their lengths. No caller gets it. */
  readonly sealed?: string;
  /** Notice of output that nobody here wrote. In `content` it stands inside the boundary; `output` is as the tool gave it. */
  readonly foreign?: ForeignNotice;
  readonly decision: Decision;
}
/** A call that did not succeed: refused input, a failure that the tool reported, a time limit, or a defect. `error` says which. */
export interface FailedResult extends CallFacts {
  readonly status: "failed";
  readonly error: CallError;
}
/** A call that the policy or a person denied; the tool did not run. */
export interface DeniedResult extends CallFacts {
  readonly status: "denied";
  readonly decision: Decision;
  /** A person's words, when a person denied. */
  readonly message?: string;
}
/** A call that waits for a person. It runs when the approval is given and the call is resumed or repeated. */
export interface PendingResult extends CallFacts {
  readonly status: "pending";
  readonly approval: ApprovalNotice;
  readonly decision: Decision;
}
/** A call that its caller, or a person, cancelled. `reason` is one sentence. */
export interface CancelledResult extends CallFacts {
  readonly status: "cancelled";
  readonly reason: string;
}
/** A remote effect was sent and its answer was lost, or the process that ran the call was; it is never retried blindly. */
export interface UnknownResult extends CallFacts {
  readonly status: "unknown";
  readonly error: CallError;
}

/**
 * Every ending of a call. A tool never throws to its caller.
 *
 * @example examples/refunds/main.ts#result
 * ```ts
 * function describe(result: CallResult): string {
 *   switch (result.status) {
 *     case "done":
 *       return `Done: ${JSON.stringify(result.output)}`;
 *     case "pending":
 *       return `A person is asked: ${result.approval.summary}`;
 *     case "denied":
 *       return result.message ?? `The policy denies it: ${result.decision.rule}`;
 *     case "cancelled":
 *       return `Cancelled: ${result.reason}`;
 *     case "failed":
 *     case "unknown":
 *       return `${result.error.code}: ${result.error.message}`;
 *   }
 * }
 * ```
 */
export type CallResult<Output = Json> = DoneResult<Output> | FailedResult | DeniedResult | PendingResult | CancelledResult | UnknownResult;
/** How a call ended, or `pending` while it waits for a person. */
export type CallStatus = CallResult["status"];
