import type { Snapshot } from "./catalogue/catalogue.ts";
import type { LoadReport } from "./catalogue/load-folder.ts";
import type { TenantToolExecutor } from "./catalogue/tenant-tool-executor.ts";
import type { SessionEvent } from "./contract/events.ts";
import type { Json } from "./contract/json.ts";
import type { GivenPrincipal } from "./contract/principal.ts";
import type { RulePosition } from "./gate/explanation.ts";
import type { OperateOptions, Operation } from "./operations/define-operation.ts";
import type { SubjectIndex } from "./operations/define-subject.ts";
import type { Subjects } from "./operations/join-subjects.ts";
import type { Administration, OperationName, OperationTypes } from "./operations/operation-types.ts";
import type { MachineFacts } from "./policy/compile-policy.ts";
import type { PolicyOption } from "./policy/policy-option.ts";
import type { ApprovalRecord, ApprovalStore } from "./ports/approval-store.ts";
import type { ArtifactStore } from "./ports/artifact-store.ts";
import type { CallTree, Wait } from "./ports/call-tree.ts";
import type { CapabilityProvider } from "./ports/capability.ts";
import type { Clock } from "./ports/clock.ts";
import type { Embedder } from "./ports/embedder.ts";
import type { EventLog } from "./ports/event-log.ts";
import type { ForeignMarks } from "./ports/foreign-marks.ts";
import type { GrantStore } from "./ports/grant-store.ts";
import type { IdempotencyStore } from "./ports/idempotency-store.ts";
import type { Ids } from "./ports/ids.ts";
import type { Limiter } from "./ports/limiter.ts";
import type { Logger } from "./ports/logger.ts";
import type { ModuleSource } from "./ports/module-source.ts";
import type { SandboxRules } from "./ports/policy-rules.ts";
import type { PolicyStore } from "./ports/policy-store.ts";
import type { TenantKeys } from "./ports/seal-keys.ts";
import type { SecretStore } from "./ports/secret-store.ts";
import type { SessionStore } from "./ports/session-store.ts";
import type { Telemetry } from "./ports/telemetry.ts";
import type { Tenants } from "./ports/tenant-store.ts";
import type { TenantTools } from "./ports/tenant-tools.ts";
import type { VisibilityFacts } from "./ports/visibility-facts.ts";
import type { TypedScope } from "./scope-types.ts";
import type { AnyTool } from "./tool/define-tool.ts";
import type { FormSpec, ViewSpec } from "./tool/presentation.ts";
import type { ToolTypes } from "./tool/tool-types.ts";

/**
 * Everything is optional: what is left out is kept in memory, and a tool whose capability nobody provides is refused.
 *
 * @example examples/model-usage/main.ts#log
 * ```ts
 * const events = createMemoryEventLog();
 * const engine = createEngine({ tools: [summarize], events });
 * ```
 */
export interface EngineOptions<Tools extends readonly AnyTool[] = readonly AnyTool[]> {
  readonly tools?: Tools;
  /** `"supervised"`, `{ ask: ["refund"] }`, a document, or the documents of all tiers. Default: `"supervised"`, which is `defaultPolicy`. */
  readonly policy?: PolicyOption;
  readonly capabilities?: readonly CapabilityProvider[];
  readonly approvals?: ApprovalStore;
  readonly grants?: GrantStore;
  /** What sessions have read that nobody here wrote. */
  readonly foreign?: ForeignMarks;
  readonly events?: EventLog;
  readonly artifacts?: ArtifactStore;
  readonly secrets?: SecretStore;
  /** Seals sensitive members where calls wait with them. Default: keys of this process, so that such calls do not outlive it. */
  readonly tenantKeys?: TenantKeys;
  readonly limiter?: Limiter;
  readonly idempotency?: IdempotencyStore;
  /** Keeps calls that wait inside. Where it is not in memory, it is of the same store as `approvals`. */
  readonly callTree?: CallTree;
  /** Default: the tenants of `events`, or where that takes those of any, every tenant that is named. */
  readonly tenants?: Tenants;
  readonly sessions?: SessionStore;
  /** Policies of tenants, each of which narrows `policy` for the calls of its tenant. */
  readonly policies?: PolicyStore;
  readonly visibility?: VisibilityFacts;
  /** Default: no tenant changes a tool or has tools of its own. */
  readonly tenantTools?: TenantTools;
  /** Without it, a call of a tenant's own tool fails with the tool's code `not_executable`. */
  readonly tenantToolExecutor?: TenantToolExecutor;
  /**
   * Defines the tool `agent_NAME` with which agents of a tenant call another one that accepts them. An agent has it where a row of its own enables
   * it. Default: agents are no tools.
   */
  readonly agentTool?: (agent: string) => AnyTool;
  /** What the operations beside calls work on: readers of the log, the catalogue, people, secrets, jobs. Default: operations that need one of them are unavailable. */
  readonly administration?: Administration;
  /** Those of other packages, such as `browserSubjects` of `@toolwright/browser/subjects`: their operations are served beside those of the engine. */
  readonly subjects?: readonly SubjectIndex[];
  readonly clock?: Clock;
  readonly ids?: Ids;
  /** Default: warnings and errors go to stderr, each message once. `silentLogger` of `@toolwright/engine/ports` says nothing. */
  readonly logger?: Logger;
  /** Finds tools by what they mean. Default: they are found by their words alone. The engine closes it. */
  readonly embedder?: Embedder;
  /** Traces and measures calls. Default: nobody does. */
  readonly telemetry?: Telemetry;
  /** Hears of each call that begins to wait for a person, once its record is kept: ask that person here. What it throws is logged. */
  readonly onApproval?: (approval: ApprovalRecord) => unknown;
  /** Hears of each event once it is in the log. What it throws is logged. */
  readonly onEvent?: (event: SessionEvent) => unknown;
  /** Where a rule of a decision stands in a policy file, for explanations. Default: no rule does. */
  readonly locateRule?: (rule: string) => RulePosition | undefined;
  /** Names of environment variables that are set. */
  readonly environment?: ReadonlySet<string>;
  /** What the machine can give now; asked at each decision. Default: no sandbox. */
  readonly machine?: (sandbox: SandboxRules) => MachineFacts;
  /** Milliseconds that an approval may wait. Default 24 hours. */
  readonly approvalTtlMs?: number;
  /** Bytes of one artifact. Default 64 MiB. */
  readonly maxArtifactBytes?: number;
}

/** How a call of a tool without effects went: `ok`, or what went wrong in a sentence. */
export type CallCheck = { readonly ok: true } | { readonly ok: false; readonly problem: string };

/**
 * Tools under one policy: it makes scopes, loads tools and ends what outlives calls.
 *
 * @typeParam Types - of the tools that `createEngine` was given; `TypesOf` makes them.
 *
 * @example examples/embedded-server/main.ts#call
 * ```ts
 * const scope = toolwright.engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" } });
 * const counted = await scope.invoke("word_count", { path: "notes.txt" });
 * ```
 */
export interface Engine<Types extends ToolTypes = Record<never, never>> {
  /** Throws on the first definition that is not well formed; nothing is then added. */
  register(tools: readonly AnyTool[], source?: string): void;
  /**
   * Says how forms show a tool, in place of what its definition says: `"tool:file_read"`. It may come before the tool. Throws `definition_invalid`
   * for an unknown field, and for a member that the tool's input does not have; a later tool of that name that it does not go with is refused.
   */
  registerFormSpec(key: `tool:${string}`, spec: FormSpec): void;
  /** Says how people read the output of a tool, in place of what its definition says. Throws as `registerFormSpec` does. */
  registerViewSpec(key: `tool:${string}`, spec: ViewSpec): void;
  /** Loads a folder; broken files are reported and the rest stays. */
  load(source: ModuleSource): Promise<LoadReport>;
  /** Loads now and after each change; `onReport` hears of every load. Returns how to stop. */
  watch(source: ModuleSource, onReport: (report: LoadReport) => void): Promise<() => void>;
  /**
   * `session` is an id: one that does not exist becomes the principal's own on first use, and calls in somebody else's fail with
   * `session_not_found`. For names that callers choose, see `openSession`. Without a session it gets a new one. Throws `principal_invalid` for a
   * door that is no name.
   */
  scope(principal: GivenPrincipal, options?: { readonly session?: string }): TypedScope<Types>;
  /**
   * Gives the id of the session that a caller named: the caller's own session of this name, made on first use, or an id that the caller may use.
   * Two people who give one name get two sessions. Rejects with `session_not_found` for an id that the caller may not use, and with `limit_reached`
   * for a new name where its person made 1,000 sessions within 24 hours.
   */
  openSession(principal: GivenPrincipal, name: string): Promise<string>;
  /**
   * Does what is not a call: lists, answers, grants, changes. Checks the permission and the input; a change is in the log before it happens, and
   * how it ended before this resolves. Rejects with `operation_*`, `invalid_input`, and what the operation rejects with.
   */
  operate<Name extends OperationName>(
    principal: GivenPrincipal,
    name: Name,
    input: OperationTypes[Name]["input"],
    options?: OperateOptions,
  ): Promise<OperationTypes[Name]["output"]>;
  /** Does an operation whose name is known only at run time. Rejects as `operate` does. */
  operateNamed(principal: GivenPrincipal, name: string, input: unknown, options?: OperateOptions): Promise<unknown>;
  /**
   * What an operation that reads would list from now on, or after what its input names, until the signal aborts: `events.list`. Rejects as
   * `operate` does, and with `operation_unavailable` for one that cannot be followed.
   */
  follow(
    principal: GivenPrincipal,
    name: string,
    input: unknown,
    options: OperateOptions & { readonly signal: AbortSignal },
  ): Promise<AsyncIterable<object>>;
  /** The operations of the engine by name. Doors derive their routes from them. */
  readonly subjects: Subjects;
  /** Lists the operations that the principal may use and that this engine can do. */
  operations(principal: GivenPrincipal): Promise<readonly Operation[]>;
  /** The tools of code, before any tenant changed them. */
  snapshot(): Snapshot;
  /**
   * Goes on with suspended calls, of every tenant, whose approvals are answered: a worker calls it once a second. Gives how many there were, once
   * they have ended or wait again. Rejects when the store does not answer.
   */
  resumeDue(options?: { readonly limit?: number }): Promise<number>;
  /** Ends a wait of a suspended call that is no approval (`ctx.tools.suspend`). */
  endWait(tenant: string, wait: Wait): Promise<void>;
  /** Makes a call of an internal tool through every stage of the gate; nothing of it is kept. Never rejects. */
  checkCalls(): Promise<CallCheck>;
  /** Puts another policy of the platform in force. Throws `policy_invalid` and keeps the old one when it is not valid. */
  setPolicy(policy: PolicyOption): void;
  /** Seals values of a tenant that outlive a call, such as the messages of a conversation: `what` says where a value belongs, and it opens nowhere else. */
  readonly sealing: {
    /** Rejects with `secret_unreadable` where the tenant's key cannot be had. */
    seal(tenant: string, what: string, value: unknown): Promise<string>;
    /** Rejects with `secret_unreadable` for what was sealed elsewhere or under another key. */
    open(tenant: string, what: string, sealed: string): Promise<Json>;
  };
  /** Ends what outlives the calls of a session, such as background processes: nobody comes back to it. */
  endSession(tenant: string, session: string): Promise<void>;
  /** Calls back when the catalogue or the policy changed; returns how to stop. */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
