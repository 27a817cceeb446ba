import type { CallResult } from "../../contract/call.ts";
import type { CallPlace } from "../../contract/call-place.ts";
import type { ApprovalRecord } from "../../ports/approval-store.ts";
import type { StepRecord, Wait } from "../../ports/call-tree.ts";

/** A call inside a call, as it goes on. */
export interface Part {
  readonly id: string;
  readonly name: string;
  readonly place: CallPlace | undefined;
}

/** A step of this run. */
export interface LiveStep extends Part {
  /** As the parent gave it. */
  readonly input: unknown;
  /** True from just before its tool runs. */
  hasBegun: boolean;
  approval: string | undefined;
  result: CallResult | undefined;
}

/** The calls that a call belongs to: one that makes calls or is made by one. */
export interface TreeOfCall {
  readonly rootId: string;
  /** When its root first began, in milliseconds since the epoch. */
  readonly begunAt: number;
  /** Calls in it so far. */
  readonly size: number;
  /** True once the store keeps it: from then on nothing begins or ends without the store. */
  readonly isKept: boolean;
  /** Milliseconds that its root ran in earlier runs. */
  readonly ranBeforeMs: number;
  /** Why it cannot go on; its root then fails with that, whatever its handler does. */
  readonly voided: string | undefined;
  /** Says that it cannot go on, and why, in a sentence. */
  void(reason: string): void;
  /** The step as an earlier run of the root left it. */
  find(parent: string, step: string): StepRecord | undefined;
  /** True when the step was of this tool with this input. */
  isSame(step: StepRecord, name: string, input: unknown): boolean | Promise<boolean>;
  /** Takes a call in, with its input as the parent gave it. */
  add(part: Part, input: unknown): LiveStep;
  /** Throws `call_lost` when this run was silent for so long that another may go on with the root. */
  mustHold(): void;
  /** Before the tool of a call runs; at once while nothing is stored. Rejects with `call_lost` where another run goes on with the root. */
  begin(step: LiveStep): Promise<void> | undefined;
  /** Keeps how a call ended; at once while nothing is stored. */
  end(step: LiveStep, result: CallResult): Promise<void> | undefined;
  /** Before the approval that a call of it asks for is created. */
  ask(step: LiveStep | undefined, approval: Pick<ApprovalRecord, "id" | "expiresAt">): Promise<void>;
  /** Before anybody can answer: whoever does finds the call that waits for it. */
  suspend(waits: readonly Wait[], expiresAt: number): Promise<void>;
  /** True when all of them are over. */
  isOver(waits: readonly Wait[]): boolean;
  /** Before the ending of its root is recorded; gives back the ending that counts. */
  settle(result: CallResult): Promise<CallResult>;
  /** After the root was recorded as one that waits: whoever comes first may go on with it. */
  release(): Promise<void>;
}
