import type { CallResult } from "../contract/call.ts";
import type { Decision } from "../contract/decision.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { TraceContext } from "./telemetry.ts";

/** What a suspended call waits for. An `approval` is over when the approval store says so; any other kind when `answer` was called for it. */
export interface Wait {
  readonly kind: string;
  readonly id: string;
}

/** A call inside a suspended call. */
export interface StepRecord {
  readonly callId: string;
  /** Id of the call that made it. */
  readonly parent: string;
  readonly step: string;
  readonly tool: string;
  /** Hash of the tool's definition when the step began. */
  readonly definition: string;
  /** Digest of the input as the parent gave it; a keyed one where a member is sensitive. */
  readonly input: string;
  /** False while it has not begun to run, but asks. */
  readonly hasBegun: boolean;
  /** Id of the approval that it asked for. */
  readonly approval?: string;
  /** How it ended; absent while it runs or waits. */
  readonly result?: CallResult;
}

/** A call that waits without a process, slot or timer. Times in milliseconds since the epoch. */
export interface SuspendedCall {
  readonly callId: string;
  /** The `idempotencyKey` that it was made with. */
  readonly key?: string;
  readonly principal: Principal;
  readonly session: string;
  readonly tool: string;
  /** Hash of the tool's definition: a changed one cannot go on. */
  readonly definition: string;
  /** With lengths in place of sensitive members. */
  readonly input: Json;
  /** The input with its sensitive members, encrypted; absent where it has none. */
  readonly sealed?: string;
  /** By which it ran. */
  readonly decision: Decision;
  /** A person approved the call itself. */
  readonly approved: boolean;
  readonly waitsFor: readonly Wait[];
  /** Milliseconds that it ran before, in all: time limits count running time. */
  readonly ranMs: number;
  /** The span in which it first ran. */
  readonly trace?: TraceContext;
  readonly createdAt: number;
  /** When it began. Default: `createdAt`. */
  readonly begunAt?: number;
  /** From then on it waits for nothing any more. */
  readonly expiresAt: number;
}

/** Which process, and which run of it, goes on with a call, and until when without another sign. */
export interface Lease {
  readonly holder: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

export interface CallRef {
  readonly tenant: string;
  readonly callId: string;
}

/** Names the run that holds the call: another one is refused. */
export interface HeldCall extends CallRef {
  readonly holder: string;
}

export interface StoredCall {
  readonly call: SuspendedCall;
  readonly steps: readonly StepRecord[];
  /** How the root ended, kept for whoever asks later. */
  readonly result?: CallResult;
  /** True while a run holds it. */
  readonly isHeld: boolean;
}

export interface TakeOptions {
  readonly now: number;
  /** Also while it waits, to end it. */
  readonly isWaiting?: boolean;
}

/** What changes of a held call: `until` 0 lets go of it. */
export type HeldChange = Partial<Pick<SuspendedCall, "waitsFor" | "expiresAt" | "ranMs">> & { readonly until: number };

/**
 * Calls that wait inside, with the steps that have ended, until their root ends.
 * *Contract:* `take` and `takeDue` are atomic across processes: of any number of callers one gets the call, and the others not before its lease
 * is over. `keep`, `hold` and `finish` of a run that does not hold the call any more change nothing and resolve to false.
 */
export interface CallTree {
  /** Keeps a call that begins to wait, with its steps so far. The run that suspends it holds it. */
  suspend(call: SuspendedCall, steps: readonly StepRecord[], lease: Lease): Promise<void>;
  /** Adds a step, or puts it in the place of the one of the same parent and name. */
  keep(held: HeldCall, step: StepRecord): Promise<boolean>;
  hold(held: HeldCall, change: HeldChange): Promise<boolean>;
  /** Undefined for one that is held, waits, has ended or is not there. */
  take(ref: CallRef, lease: Lease, options: TakeOptions): Promise<StoredCall | undefined>;
  /** Calls of any tenant that wait for nothing any more and that nobody holds, those that wait longest first. */
  takeDue(lease: Lease, options: { readonly now: number; readonly limit: number }): Promise<readonly StoredCall[]>;
  get(ref: CallRef, now: number): Promise<StoredCall | undefined>;
  /** Those of a tool that have not ended, oldest first. */
  list(tenant: string, filter: { readonly tool: string; readonly now: number }): Promise<readonly StoredCall[]>;
  /** Those that wait for it, or last did: first those that have ended, as long as how is kept, and of either those that began to wait first. */
  waitingFor(tenant: string, wait: Wait, now: number): Promise<readonly StoredCall[]>;
  /** Ends a wait that is no approval, wherever it is waited for. */
  answer(tenant: string, wait: Wait): Promise<void>;
  /** Drops the steps and keeps how the root ended until `keepUntil`. */
  finish(held: HeldCall, result: CallResult, keepUntil: number): Promise<boolean>;
}
