import type { Admission } from "./catalogue/admit.ts";
import type { Origin } from "./catalogue/compile-tool.ts";
import type { ArtifactRef, CallResult } from "./contract/call.ts";
import type { ForeignKind } from "./contract/foreign.ts";
import type { JsonObject } from "./contract/json.ts";
import type { ChildOptions, Principal } from "./contract/principal.ts";
import type { ToolLimits } from "./contract/tool-limits.ts";
import type { ElsewhereEnding, Judgement, JudgeOptions } from "./gate/elsewhere/judge-elsewhere.ts";
import type { Explanation } from "./gate/explanation.ts";
import type { FollowedCall } from "./gate/follow-call.ts";
import type { GrantProposal, GrantRequest, RememberOffer } from "./gate/grants/grant-request.ts";
import type { InvokeOptions } from "./gate/invoke-options.ts";
import type { PreparedCall, PrepareOptions } from "./gate/prepare-to-run.ts";
import type { ApprovalOutcome, StoredApproval } from "./ports/approval-store.ts";
import type { StoredGrant } from "./ports/grant-store.ts";
import type { StandardSchema } from "./schema/standard-schema.ts";
import type { ToolExample } from "./tool/define-tool.ts";
import type { EffectHints, Effects } from "./tool/effects.ts";
import type { ToolPresentation } from "./tool/presentation.ts";
import type { InputTo, OutputOf, ToolTypes } from "./tool/tool-types.ts";

/** A tool as one principal sees it. */
export interface ToolView {
  readonly name: string;
  readonly title: string;
  readonly group: string;
  readonly icon: string | undefined;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** The input schema with the union at its top, where `inputSchema` has it flattened. */
  readonly unionSchema: JsonObject | undefined;
  /** The input schema as its author declared it, where its `.meta()` names the dialect in `$schema`. */
  readonly declaredSchema: JsonObject | undefined;
  readonly outputSchema: JsonObject;
  /** Standard-Schema objects with cached JSON Schema, for frameworks that take them. */
  readonly input: StandardSchema;
  readonly output: StandardSchema;
  readonly effects: Effects;
  readonly hints: EffectHints;
  readonly examples: readonly ToolExample[];
  readonly hash: string;
  readonly origin: Origin;
  /** `always_ask`: a person is asked before each call, whatever the policy allows. */
  readonly approval: "auto" | "always_ask";
  /** Permission without which a principal does not see the tool; undefined when none is needed. */
  readonly permission: string | undefined;
  /** Limits of the definition: milliseconds and bytes. What is left out has the default of `ToolLimits`. */
  readonly limits: ToolLimits;
  /** Names of the secrets that the tool may read; never a value. */
  readonly secrets: readonly string[];
  /** Other names that the tool takes for input members: `{ cmd: "command" }`. */
  readonly aliases: Readonly<Record<string, string>>;
  /** Where its output comes from, for a tool whose output nobody here wrote. */
  readonly foreign: ForeignKind | undefined;
  /** How people meet the tool; its `icon` is the definition's where that has one. */
  readonly presentation: ToolPresentation;
}

/** A tool with every reason why this principal sees it or not. */
export interface SurveyedTool {
  readonly tool: ToolView;
  readonly admission: Admission;
  /** What enables it for the agent of the principal: `manual`, `default`, or `skill` with its name. Empty where nothing does, and without an agent. */
  readonly enabledBy: readonly string[];
}

/**
 * The catalogue as one principal may see it, in one session. Only a scope can list, explain or invoke.
 *
 * @example examples/refunds/main.ts#invoke
 * ```ts
 * const scope = engine.scope({ tenant: "shop", actor: { kind: "agent", id: "support" } }, { session: "chat-17" });
 * const found = await scope.invoke("order_total", { order: "1042" });
 * if (found.status !== "done") throw new Error(`The order could not be looked up: ${found.status}`);
 * const asked = await scope.invoke("refund", { order: "1042", euros: found.output.euros });
 * ```
 */
export interface Scope {
  readonly principal: Principal;
  readonly session: string;
  /** Lists the tools that this principal may use, by name. Leaves out tools that the policy denies for every input. */
  list(): readonly ToolView[];
  find(name: string): ToolView | undefined;
  /**
   * Lists all tools by name, including hidden ones, for principals with the permission `catalogue:explain`; empty for others. Leaves out tools
   * of other runtimes.
   */
  survey(): readonly SurveyedTool[];
  /** Explains what the policy and the catalogue decide about a call. */
  why(name: string, input?: unknown): Explanation;
  /** Explains the decision on a call, with what this machine holds against it: cautions of its capabilities, and paths that they refuse. */
  explain(name: string, input?: unknown): Promise<Explanation>;
  /** Makes a call of a tool whose name is known only at run time. Never rejects: every ending is a result. */
  invokeNamed(name: string, input: unknown, options?: InvokeOptions): Promise<CallResult>;
  /**
   * Takes a call through every stage before its run: it is ready, denied, or waits for a person with an approval that a call with this key uses up.
   * For callers that stop while a person is asked. Never rejects.
   */
  prepare(name: string, input: unknown, options: PrepareOptions): Promise<PreparedCall>;
  /**
   * Decides a call that another program runs, and writes the decision into the log. Its person is asked there: no approval is made here.
   * Never rejects.
   */
  judge(name: string, input: unknown, options: JudgeOptions): Promise<Judgement>;
  /** Writes into the log how a call that another program ran has ended. */
  noteEnding(name: string, ending: ElsewhereEnding): Promise<void>;
  /**
   * Runs the approved call, once. When the approved call is a step of another call, continues the outermost call and returns its result.
   * Never rejects.
   */
  resume(approvalId: string, options?: InvokeOptions): Promise<CallResult>;
  /** The input as logs hold it, with lengths in place of sensitive members; one that does not fit is hidden whole where the tool marks any. */
  hideInput(name: string, input: unknown): unknown;
  /** True for a tool of whose output members are sensitive. */
  hasSensitiveOutput(name: string): boolean;
  /**
   * Cancels a call that waits for one of its steps (`status: "pending"`), with all its steps and their open approvals. Only the caller and people who
   * may answer the approvals may cancel it. Rejects with `call_not_found`.
   */
  cancel(callId: string, reason?: string): Promise<CallResult>;
  /**
   * Keeps how a call of this scope ends, for a caller that does not wait for it and asks later by a key of its own. *Contract:* nobody guesses the
   * key. `ending` is how the call waits, or the promise of how it ends; `kept` resolves when that is kept.
   */
  follow(
    key: string,
    call: { readonly callId: string; readonly ending: CallResult | Promise<CallResult> },
  ): Promise<{ readonly kept: Promise<CallResult> }>;
  /** Finds a call that this principal follows; undefined for any other key. */
  followed(key: string): Promise<FollowedCall | undefined>;
  /** Runs a followed call that waited for an answered approval, once, and keeps how it ended. Never rejects. */
  resumeFollowed(call: FollowedCall, options?: InvokeOptions): Promise<CallResult>;
  /** Cancels a followed call that waits, and denies its approval. One that runs or has ended stays as it is. Rejects with `call_not_found`. */
  withdraw(key: string, reason: string): Promise<void>;
  /** Lists open approvals that this principal may answer or that its calls wait for, oldest first. */
  approvals(): Promise<readonly StoredApproval[]>;
  /** Finds one approval, open or answered; undefined for one that this principal may not see. */
  approval(approvalId: string): Promise<StoredApproval | undefined>;
  /**
   * Answers an approval, as the operation `approvals.answer`. Only people may answer: those of their own calls, or with the permission
   * `approvals:answer` those of others. Rejects with `approval_*`, and with `record_failed` where the log cannot be written.
   */
  answer(approvalId: string, outcome: ApprovalOutcome): Promise<void>;
  /** Records that a door asked for this approval and got no answer of a person; the approval stays open. Never rejects. */
  noteUnanswered(approvalId: string, note: string): Promise<void>;
  /** Lists live grants of this principal, or with the permission `approvals:answer` all of the tenant; oldest first. */
  grants(): Promise<readonly StoredGrant[]>;
  /** Shows what approving and remembering this call would allow, before it is saved. Rejects with `approval_not_found`, `grant_refused`. */
  proposeGrant(approvalId: string): Promise<GrantProposal>;
  /**
   * Shows the grant that remembering this call would save, and what this principal may choose, or the reason why nothing may be remembered.
   * Rejects with `approval_not_found`.
   */
  offerRemember(approvalId: string): Promise<RememberOffer>;
  /** Saves a grant. Only people may. Rejects with `grant_not_allowed`, `grant_refused`, `tool_not_found`. */
  grant(wanted: GrantRequest): Promise<StoredGrant>;
  /** The scope of a sub-agent: never more than this one, its ceiling or its assignment. It answers nothing and gives nothing. */
  child(options: ChildOptions): Scope;
  /** At once, for every process on the same store. Rejects with `grant_not_found`, `grant_not_allowed`. */
  revokeGrant(id: string): Promise<void>;
  /** Rejects with `artifact_not_found`. */
  readArtifact(
    id: string,
    range?: { readonly offset?: number; readonly length?: number },
  ): Promise<{ readonly ref: ArtifactRef; readonly bytes: Uint8Array }>;
  artifacts(): Promise<readonly ArtifactRef[]>;
}

/** A scope that knows the types of the tools that `createEngine` was given. */
export interface TypedScope<Types extends ToolTypes> extends Scope {
  /** Makes a call. The name decides the types of input and output. Never rejects: every ending is a result. */
  invoke<Name extends keyof Types & string>(
    name: Name,
    input: InputTo<Types, Name>,
    options?: InvokeOptions,
  ): Promise<CallResult<OutputOf<Types, Name>>>;
  child(options: ChildOptions): TypedScope<Types>;
}
