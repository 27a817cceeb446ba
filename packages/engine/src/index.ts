export type {
  ApprovalNotice,
  ArtifactRef,
  CallError,
  CallResult,
  CallStatus,
  CancelledResult,
  DeniedResult,
  DoneResult,
  FailedResult,
  PendingResult,
  Repair,
  Truncation,
  UnknownResult,
} from "./contract/call.ts";
export type { CallPlace } from "./contract/call-place.ts";
export type { ContentBlock, MediaBlock } from "./contract/content.ts";
export type { Decision, Effect, Finding, Layer, Quorum, Reach, Risk } from "./contract/decision.ts";
export { type ErrorCode, type ErrorOptionsWithDetails, errorCodes, ToolwrightError } from "./contract/errors.ts";
export {
  type CallEvent,
  declareEvents,
  type EventType,
  eventTypes,
  type SessionEvent,
  type StoredEvent,
} from "./contract/events.ts";
export type { Json, JsonObject } from "./contract/json.ts";
export { ANSWER_APPROVALS, EXPLAIN_CATALOGUE } from "./contract/permissions.ts";
export type { Anomaly, HostTraffic, NetworkAccess, Posture } from "./contract/posture.ts";
export type { Actor, Bounds, ChildOptions, Delegation, Door, GivenPrincipal, Principal, Runtime, Source } from "./contract/principal.ts";
export type { ToolLimits } from "./contract/tool-limits.ts";
export type { ToolVisibility } from "./contract/tool-visibility.ts";
export type { CallUsage, UsageReport } from "./contract/usage.ts";
export { createEngine } from "./engine.ts";
export type { CallCheck, Engine, EngineOptions } from "./engine-types.ts";
export type { Explanation } from "./gate/explanation.ts";
export type { GrantProposal, GrantRequest, RememberChoice, RememberOffer } from "./gate/grants/grant-request.ts";
export type { InvokeOptions, Progress } from "./gate/invoke-options.ts";
export { notedOutput, notedSchema } from "./gate/notes/note-result.ts";
export type { PolicyTier } from "./policy/compile-policy.ts";
export { defaultPolicy, type PolicyDocument, parsePolicyDocument } from "./policy/document/policy-document.ts";
export type { PolicyOption, PolicyShorthand } from "./policy/policy-option.ts";
export type { ApprovalOutcome, ApprovalRecord, StoredApproval } from "./ports/approval-store.ts";
export type {
  CallSite,
  Capability,
  CapabilityName,
  CapabilityProvider,
  CapabilityRegistry,
  EffectOf,
  EffectWeight,
  HandleOf,
  HttpEffect,
} from "./ports/capability.ts";
export type { Exec } from "./ports/exec.ts";
export type { Files, ReadFiles } from "./ports/files.ts";
export type { Git } from "./ports/git.ts";
export type { StoredGrant } from "./ports/grant-store.ts";
export type { Http, ReadHttp } from "./ports/http.ts";
export type { Logger } from "./ports/logger.ts";
export type { Secrets } from "./ports/secrets.ts";
export type { PartOptions, Tools } from "./ports/tools.ts";
export type { Scope, SurveyedTool, ToolView, TypedScope } from "./scope-types.ts";
export type { CallPreview } from "./tool/call-preview.ts";
export type { Attachment, BaseContext, ToolContext } from "./tool/context.ts";
export {
  type AnyTool,
  defineTool,
  type InputOf,
  type InputSchema,
  isToolDefinition,
  type PolicyNoteContext,
  type SchemaContext,
  type ToolDefinition,
  type ToolExample,
} from "./tool/define-tool.ts";
export type { EffectHints, Effects } from "./tool/effects.ts";
export { type Failure, fail, isFailure } from "./tool/result.ts";
export type { ToolTypes, TypesOf } from "./tool/tool-types.ts";
