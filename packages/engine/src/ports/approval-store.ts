import type { Decision } from "../contract/decision.ts";
import type { Json } from "../contract/json.ts";
import type { Actor, Principal } from "../contract/principal.ts";

/** What the approval holds still. Any difference at run time voids it. */
export interface ApprovalBinding {
  /** Digest of the canonical input after repair. */
  readonly input: string;
  /** Hash of the tool's definition. */
  readonly definition: string;
  readonly policyRevision: string;
  /** Generation of the tool's secrets; changes when one is set again. */
  readonly secrets: string;
}

export type ApprovalOutcome =
  | { readonly kind: "approve" }
  | { readonly kind: "deny"; readonly message?: string }
  /** Runs with this input instead; it is parsed, and a policy denial of it stands. */
  | { readonly kind: "edit"; readonly input: Json }
  /** The tool does not run; the model gets these words as its answer. */
  | { readonly kind: "respond"; readonly message: string };

export interface ApprovalAnswer {
  readonly outcome: ApprovalOutcome;
  readonly by: Actor;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** A durable record that a call waits for a person. */
export interface ApprovalRecord {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly session: string;
  readonly input: Json;
  readonly binding: ApprovalBinding;
  readonly decision: Decision;
  /** One line for people. */
  readonly summary: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface StoredApproval {
  readonly record: ApprovalRecord;
  readonly answer?: ApprovalAnswer;
  /** Set once, by the call that ran it. */
  readonly claimedAt?: number;
}

/** Times in milliseconds since the epoch. */
export interface ApprovalFilter {
  /** Neither answered nor expired then. */
  readonly openAt?: number;
  /** Answered or not, but neither claimed nor expired then. */
  readonly usableAt?: number;
}

/** What both filters mean, for stores that filter in the process. */
export function passesFilter({ record, answer, claimedAt }: StoredApproval, { openAt, usableAt }: ApprovalFilter): boolean {
  if (openAt !== undefined && (answer !== undefined || record.expiresAt <= openAt)) return false;
  return usableAt === undefined || (claimedAt === undefined && record.expiresAt > usableAt);
}

/** *Contract:* `answer` and `claim` are atomic across processes: of any number of concurrent callers exactly one gets true. */
export interface ApprovalStore {
  create(record: ApprovalRecord): Promise<void>;
  get(tenant: string, id: string): Promise<StoredApproval | undefined>;
  /** Oldest first. */
  list(tenant: string, filter?: ApprovalFilter): Promise<readonly StoredApproval[]>;
  /** False when it was answered before. */
  answer(tenant: string, id: string, answer: ApprovalAnswer): Promise<boolean>;
  /** False when it was claimed before. */
  claim(tenant: string, id: string, at: number): Promise<boolean>;
}
