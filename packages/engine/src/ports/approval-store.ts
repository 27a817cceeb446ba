import type { CallPlace } from "../contract/call-place.ts";
import type { Decision } from "../contract/decision.ts";
import type { ForeignMark } from "../contract/foreign.ts";
import type { Json } from "../contract/json.ts";
import type { Actor, Principal } from "../contract/principal.ts";
import type { StandsFor } from "./capability.ts";
import type { GrantTerms } from "./grant-store.ts";
import type { CodeMark } from "./module-source.ts";
import type { TraceContext } from "./telemetry.ts";

/** What the approval holds still. Any difference at run time voids it. */
export interface ApprovalBinding {
  /** Digest of the canonical input after repair; a keyed one where a member is sensitive. */
  readonly input: string;
  /** Hash of the tool's definition and code. */
  readonly definition: string;
  /** The code that went into `definition`, to say which file changed. */
  readonly code?: readonly CodeMark[];
  readonly policyRevision: string;
  /** Generations of the secrets that the tool declares and the call names; changes when one is set again. */
  readonly secrets: string;
  /** Digest of tenant, actor, agent and what they were delegated. */
  readonly caller: string;
  /** Digest of every finding that asked, with its risk: what a person was told. */
  readonly disclosed: string;
  /** Digest of what the named things were on the machine (real folder, program, script), where a capability can say. */
  readonly world: string;
  /** Digest of the files that came with the call. They are not kept while it waits: who resumes it brings them again. */
  readonly files?: string;
  /** Names and marks of what went into `world`, to say which one changed. */
  readonly parts?: readonly (readonly [name: string, mark: string])[];
}

/** A person's answer to a call that waits: approve, deny, run with another input, or reply instead of the tool. */
export type ApprovalOutcome =
  /** `remember` gives a grant with it, for what asked and no more. */
  | { readonly kind: "approve"; readonly remember?: GrantTerms }
  | { readonly kind: "deny"; readonly message?: string }
  /** Runs with this input instead; it is parsed, and a policy denial of it stands. */
  | {
      readonly kind: "edit";
      readonly input: Json /** The input with its sensitive members, encrypted by the engine. */;
      readonly sealed?: string;
    }
  /** The tool does not run; the model gets these words as its answer. */
  | { readonly kind: "respond"; readonly message: string };

export interface ApprovalAnswer {
  readonly outcome: ApprovalOutcome;
  readonly by: Actor;
  /** Where it was given; absent in answers of before that was kept. */
  readonly door?: Principal["door"];
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Who has to say yes: all that the findings of the call demand, together. */
export interface ApprovalQuorum {
  /** Distinct people. */
  readonly approvers: number;
  /** Each of them has all of these. */
  readonly permissions: readonly string[];
  readonly notRequester: boolean;
}

/** A durable record that a call waits for a person. */
export interface ApprovalRecord {
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly principal: Principal;
  readonly session: string;
  /** Place of a call that another call made: answering it lets the root of that tree go on. */
  readonly place?: CallPlace;
  /** With lengths in place of sensitive members. */
  readonly input: Json;
  /** The input with its sensitive members, encrypted; absent where it has none. */
  readonly sealed?: string;
  readonly binding: ApprovalBinding;
  readonly decision: Decision;
  /** What a person is asked, in one line: what would happen. It never stands in place of the whole input. */
  readonly summary: string;
  /** What its words came to on the machine where it was asked. */
  readonly standsFor?: readonly StandsFor[];
  /** Absent: one person is enough. */
  readonly quorum?: ApprovalQuorum;
  /** What its session had read first that nobody here wrote, where no finding of `decision` names it. */
  readonly foreign?: ForeignMark;
  /** The span of the call that asked. */
  readonly trace?: TraceContext;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * An approval as the store keeps it: the request, the answers so far, and whether the call has run. Times are milliseconds since the
 * epoch.
 */
export interface StoredApproval {
  readonly record: ApprovalRecord;
  /** The answer that counts; absent while people are missing to the quorum. */
  readonly answer?: ApprovalAnswer;
  /** Who said yes so far, where a quorum is asked for. */
  readonly approvals?: readonly ApprovalAnswer[];
  /** Set once, by the call that ran it. */
  readonly claimedAt?: number;
  /** Milliseconds since the epoch: when a store that keeps such a record noted that nobody had answered in time. */
  readonly expiredAt?: number;
}

/** Times in milliseconds since the epoch. */
export interface ApprovalFilter {
  /** Neither answered nor expired then. */
  readonly openAt?: number;
  /** Answered or not, but neither claimed nor expired then. */
  readonly usableAt?: number;
}

/** What a store gives for a record and the answers to it, in order: anything but a yes counts at once, a yes when the quorum is there. */
export function settleApproval(record: ApprovalRecord, answers: readonly ApprovalAnswer[]): Pick<StoredApproval, "answer" | "approvals"> {
  const refusal = answers.find(({ outcome }) => outcome.kind !== "approve");
  const approvals = answers.filter(({ outcome }) => outcome.kind === "approve");
  const last = approvals[(record.quorum?.approvers ?? 1) - 1];
  const answer = refusal ?? last;
  return { ...(answer && { answer }), ...(record.quorum && { approvals }) };
}

/** Two answers of one person count once. */
export function isSameActor(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id;
}

/** What both filters mean, for stores that filter in the process. */
export function passesFilter({ record, answer, claimedAt }: StoredApproval, { openAt, usableAt }: ApprovalFilter): boolean {
  if (openAt !== undefined && (answer !== undefined || record.expiresAt <= openAt)) return false;
  return usableAt === undefined || (claimedAt === undefined && record.expiresAt > usableAt);
}

/**
 * *Contract:* `answer` and `claim` are atomic across processes: of any number of concurrent callers exactly one gets true. Where the record
 * asks for a quorum, that holds for the answers of each person, and `settleApproval` says what they come to.
 */
export interface ApprovalStore {
  create(record: ApprovalRecord): Promise<void>;
  get(tenant: string, id: string): Promise<StoredApproval | undefined>;
  /** Oldest first. */
  list(tenant: string, filter?: ApprovalFilter): Promise<readonly StoredApproval[]>;
  /** False when it was answered before, or by this person before. */
  answer(tenant: string, id: string, answer: ApprovalAnswer): Promise<boolean>;
  /** False when it was claimed before. */
  claim(tenant: string, id: string, at: number): Promise<boolean>;
}
