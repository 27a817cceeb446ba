export { admitHarness } from "../contract/admit-harness.ts";
export { type ChainEnd, chainStart, checkChain, type Fault, type FaultKind } from "../contract/check-chain.ts";
export { type Containment, compareEffects, type PathReach, strictest } from "../contract/decision.ts";
export { digest, sha256 } from "../contract/digest.ts";
export { chainDigest, chainHash, chainLink, findBrokenLink } from "../contract/event-chain.ts";
export { checkEvent, eventTypes, isCallEvent } from "../contract/events.ts";
export {
  type ForeignContent,
  type ForeignKind,
  type ForeignMark,
  type ForeignNotice,
  type ForeignSource,
  foreignKinds,
  lowestTrust,
  type Trust,
  trusts,
} from "../contract/foreign.ts";
export { asJson, canonicalJson, copyJson, findNonJson, isPlainObject, wellFormed, wellFormedJson } from "../contract/json.ts";
export { type Anchor, type AnchoredHead, parseAnchor } from "../contract/log-anchor.ts";
export { nearestName } from "../contract/nearest-name.ts";
export type { Patience } from "../contract/patience.ts";
export {
  MANAGE_CATALOGUE,
  MANAGE_IDENTITY,
  MANAGE_JOBS,
  MANAGE_KNOWLEDGE,
  MANAGE_MEMORY,
  MANAGE_POLICY,
  MANAGE_SECRETS,
  MANAGE_SESSIONS,
  MANAGE_TENANTS,
  READ_LOG,
  RUN_AGENTS,
} from "../contract/permissions.ts";
export { type ExportReport, type VerifyExportOptions, verifyExport } from "../contract/verify-export.ts";
export { oneLine, visibleText } from "../contract/visible-text.ts";
export type { ElsewhereEnding, Judgement, JudgeOptions } from "../gate/elsewhere/judge-elsewhere.ts";
export type { FollowedCall } from "../gate/follow-call.ts";
export { type SessionTrust, sessionsOf, trustOf } from "../gate/foreign/sessions-of.ts";
export type { PreparedCall, PrepareOptions, ReadyCall } from "../gate/prepare-to-run.ts";
export { endingOf, isCut } from "../gate/record-events.ts";
export { Redactor } from "../gate/redaction/redact.ts";
export { idempotencyKeyOf } from "../gate/run-once.ts";
export { createMemoryApprovalStore } from "../memory/approval-store.ts";
export { createMemoryArtifactStore } from "../memory/artifact-store.ts";
export { createMemoryCallTree } from "../memory/call-tree.ts";
export { createMemoryCatalogueStore, type MemoryCatalogueOptions } from "../memory/catalogue-store.ts";
export { createMemoryClientSessions } from "../memory/client-sessions.ts";
export { createMemoryKnowledge } from "../memory/documents.ts";
export { createMemoryEventLog, type MemoryEventLog, type MemoryEventLogOptions } from "../memory/event-log.ts";
export { createMemoryForeignMarks } from "../memory/foreign-marks.ts";
export { createMemoryGrantStore } from "../memory/grant-store.ts";
export { createMemoryIdempotencyStore } from "../memory/idempotency-store.ts";
export { createMemoryIdentity, type MemoryIdentity, type MemoryIdentityOptions } from "../memory/identity.ts";
export { createMemoryLimiter } from "../memory/limiter.ts";
export { createMemoryMemories } from "../memory/memories.ts";
export { createMemoryPolicyStore } from "../memory/policy-store.ts";
export { createMemoryRooms } from "../memory/rooms.ts";
export { createMemoryRunReader } from "../memory/run-reader.ts";
export { createMemorySealKeys, createMemoryTenantKeys, sealKeyBytes, toSealKey } from "../memory/seal-keys.ts";
export { createMemorySecretStore } from "../memory/secret-store.ts";
export { createMemorySessionReader } from "../memory/session-reader.ts";
export { createMemorySessionStore } from "../memory/session-store.ts";
export { createMemoryTenantStore } from "../memory/tenant-store.ts";
export { createMemoryTurnStream } from "../memory/turn-stream.ts";
export { createMemoryTurns } from "../memory/turns.ts";
export { createMemoryUsageReader } from "../memory/usage-reader.ts";
export type { Administration } from "../operations/operation-types.ts";
export type { AccountAdmin, AccountSession, ConnectedClient, EndedAccess, PasswordReset } from "../ports/account-admin.ts";
export { type AgentLimits, type AgentSettings, checkAgentSettings, settingsOf } from "../ports/agent-settings.ts";
export { agentToolOf, toolOfRow } from "../ports/agent-tool-name.ts";
export {
  type ApiKeyRecord,
  apiKeyExpiry,
  apiKeyIdOf,
  findKeyProblem,
  type Identified,
  isKeyUseDue,
  type KeyProblem,
  looksLikeKey,
  makeApiKey,
  type NewApiKey,
  type StoredApiKey,
  toIdentified,
} from "../ports/api-keys.ts";
export {
  type ApprovalAnswer,
  type ApprovalBinding,
  type ApprovalFilter,
  type ApprovalQuorum,
  type ApprovalStore,
  isSameActor,
  passesFilter,
  settleApproval,
} from "../ports/approval-store.ts";
export type { ArtifactOwner, ArtifactStore, ArtifactWriter } from "../ports/artifact-store.ts";
export type {
  CallRef,
  CallTree,
  HeldCall,
  HeldChange,
  Lease,
  StepRecord,
  StoredCall,
  SuspendedCall,
  TakeOptions,
  Wait,
} from "../ports/call-tree.ts";
export type {
  BeforeSite,
  Caution,
  Concern,
  ConcernedCall,
  ConcernSite,
  Fingerprint,
  RedactStream,
  StandsFor,
} from "../ports/capability.ts";
export {
  type Agent,
  type AgentBelongings,
  type AgentChanges,
  type AgentName,
  type AgentRemoval,
  type Agents,
  type AgentTool,
  type Author,
  actsAs,
  type CatalogueStore,
  catalogueMissing,
  catalogueTaken,
  checkCatalogueName,
  type Enablement,
  hasAgent,
  impliedAgent,
  type ListedSkill,
  type SchemaVersion,
  type Skill,
  type SkillChanges,
  type Skills,
  type ToolRows,
} from "../ports/catalogue-store.ts";
export type { Channels } from "../ports/channels.ts";
export type { ClientSession, ClientSessionName, ClientSessions } from "../ports/client-sessions.ts";
export { type Clock, every, pause, systemClock } from "../ports/clock.ts";
export { countUsage, durationClasses, type UsagePart } from "../ports/count-usage.ts";
export {
  type DocumentImage,
  type DocumentKind,
  type DocumentParser,
  type DocumentPart,
  documentKinds,
  type ParsedDocument,
  type ParseLimits,
  type ParseRequest,
  type UnreadableReason,
  unreadableReasons,
} from "../ports/document-parser.ts";
export type { Embedder, EmbedOptions } from "../ports/embedder.ts";
export { type AppendOptions, type EventLog, type KeySettlement, KeyTaken, type KeyWrite } from "../ports/event-log.ts";
export type { CommandResult, CommandSpec, ProcessExit, Processes, ProcessInfo, ProcessOutput, WatchProcesses } from "../ports/exec.ts";
export { FairPool, type PoolSlot, processorPoolCapacity, type Sharer, sharerOf } from "../ports/fair-pool.ts";
export type { FileChange, FileEntry, GrepMatch, GrepQuery, TextSlice } from "../ports/files.ts";
export { type ForeignMarks, keyOfMark, mostForeignMarks } from "../ports/foreign-marks.ts";
export type { ClonedRepository, CloneProblem, CloneSpec } from "../ports/git.ts";
export {
  type GrantAudience,
  type GrantFilter,
  type GrantPredicate,
  type GrantRecord,
  type GrantRevocation,
  type GrantStore,
  type GrantTerms,
  isLive,
  passesGrantFilter,
} from "../ports/grant-store.ts";
export { type Hook, type Hooks, hookMissing, hookOf, hookPrincipal, hookTaken, outboundHarness } from "../ports/hooks.ts";
export type { HttpRequest, HttpResponse } from "../ports/http.ts";
export {
  type IdempotencyClaim,
  type IdempotencyOwner,
  type IdempotencyState,
  type IdempotencyStore,
  type KeptCall,
  keyKeptMs,
  keyKeptUntil,
} from "../ports/idempotency-store.ts";
export {
  alreadyMember,
  type IdentityAdmin,
  type IdentityOptions,
  type Invitation,
  identityMissing,
  invitationMs,
  lastOwner,
  type Member,
  type Membership,
  type NewInvitation,
  type Role,
  refuseBuiltin,
  roleInUse,
  rolesWith,
  toAddress,
} from "../ports/identity-admin.ts";
export { createRandomIds, type Ids } from "../ports/ids.ts";
export {
  type JobFilter,
  type JobProgress,
  type JobRecord,
  type JobRequest,
  type JobRetry,
  type JobState,
  type Jobs,
  jobStates,
  type MissedRuns,
  type ScheduleRecord,
  type ScheduleRequest,
  type Schedules,
} from "../ports/jobs.ts";
export {
  type Chunk,
  type DocumentPage,
  type DocumentRecord,
  type DocumentSearch,
  type DocumentSource,
  type DocumentState,
  documentCursor,
  documentNotFound,
  documentSourceTaken,
  documentStates,
  type FailedVersion,
  type FoundDocumentPassages,
  type FoundPassages,
  type IngestJob,
  type IngestRef,
  jobOf,
  type Knowledge,
  type KnowledgeStore,
  mostDocumentsOfPage,
  mostPartBytes,
  mostUnsearched,
  type NewDocument,
  type Passage,
  personWaitingFor,
  putDocument,
  type ReadVersion,
  readDocumentCursor,
  type UploadPart,
} from "../ports/knowledge-store.ts";
export type { Limiter, Rate, RateSubject, Reservation } from "../ports/limiter.ts";
export { createStderrLogger, silentLogger } from "../ports/logger.ts";
export { type LookInTurnOptions, lookInTurn } from "../ports/look-in-turn.ts";
export type { MachineCheck, MachineDriver, MachineInspector, MachineReport } from "../ports/machine-inspector.ts";
export type { KeyCheck, MasterKeys, NeededKey, Rotation } from "../ports/master-keys.ts";
export type {
  Memories,
  Memory,
  MemoryCategory,
  MemoryOwner,
  MemoryPage,
  MemorySearch,
  MemorySource,
  MemoryStore,
  MemoryVersion,
  NewMemory,
} from "../ports/memory-store.ts";
export { memoryCategories, memoryOwnerOf, mostMemoryCharacters, mostMemoryVersions } from "../ports/memory-store.ts";
export type { AskedModel, Model, ModelAnswer, ModelQuestion } from "../ports/model.ts";
export type { CodeMark, LeftOut, LoadedModule, ModuleSource } from "../ports/module-source.ts";
export type { LimitReader, LimitUse, PersonLimits } from "../ports/person-limits.ts";
export { limitedThings, limitReached, readSessionUse, usualPersonLimits, whereLimitsAre } from "../ports/person-limits.ts";
export type { NetworkRules, PathRoot, PathRules, ResourceLimits, SandboxRules } from "../ports/policy-rules.ts";
export type { PlatformPolicy, PolicySource, PolicySourceFile } from "../ports/policy-source.ts";
export { type NewPolicyVersion, type PolicyStore, type PolicyVersion, policyConflict, policyPage } from "../ports/policy-store.ts";
export { describeRemoved, type OldSessions, type Removed, type RetentionAdmin, type SessionCounts } from "../ports/retention-admin.ts";
export { builtinRoles, checkPermissions, checkRole, expandPermissions, intersectPermissions } from "../ports/roles.ts";
export {
  type CycleEnding,
  cyclesOfEvent,
  eventsOfCycle,
  isOpenEvent,
  mostClosedEvents,
  mostRoomMessages,
  mostRooms,
  type NewRoom,
  type RoomChanges,
  type RoomCycle,
  type RoomEvent,
  type RoomEventState,
  type RoomMessage,
  type RoomRecord,
  type RoomRef,
  type Rooms,
  roomEventStates,
  roomNotFound,
  type TakingRoom,
} from "../ports/rooms.ts";
export type { RunFilter, RunKey, RunPage, RunReader } from "../ports/run-reader.ts";
export { formatRunKey, pageSizeOf, parseRunKey, typesOfDecision } from "../ports/run-reader.ts";
export type { DriverProbe, DriverTraits, ProcessHandle, ProcessReport, ProcessSpec, SandboxDriver } from "../ports/sandbox-driver.ts";
export type { SealKey, SealKeys, TenantKeys } from "../ports/seal-keys.ts";
export type { BindingChoice, SecretAdmin, SecretCheck, SecretEntry, SecretName, UnreadableSecret } from "../ports/secret-admin.ts";
export { checkSecretName, checkSecretValue, toSecretBinding } from "../ports/secret-admin.ts";
export type { BoundSecret, SecretBinding, SecretStore, SecretUse } from "../ports/secret-store.ts";
export {
  anchorHeads,
  type EventPage,
  type FollowEventsOptions,
  type LoggedSessionFilter,
  type SessionHead,
  type SessionReader,
  type SessionReport,
  type VerifyOptions,
} from "../ports/session-reader.ts";
export {
  changeShares,
  declareSessionKind,
  readSessionCursor,
  type Session,
  type SessionFilter,
  type SessionName,
  type SessionPage,
  type SessionStatus,
  type SessionStore,
  type SessionUsers,
  sessionCursor,
  sessionLimit,
  takenSession,
} from "../ports/session-store.ts";
export type { StoreInspector, StoreReport, StoreState } from "../ports/store-inspector.ts";
export type { CallerTrace, CallSpan, EndedCall, LoopWork, Telemetry, TraceContext, TracedCall } from "../ports/telemetry.ts";
export type { AgentFacts, TenantFacts } from "../ports/tenant-facts.ts";
export { createTenantTools, createVisibility, keepEqualRows, toAgentFacts } from "../ports/tenant-facts.ts";
export {
  checkTenant,
  checkTitle,
  defaultTenant,
  everyTenant,
  type TenantRecord,
  type TenantStore,
  type Tenants,
  tenantNotFound,
  tenantTaken,
} from "../ports/tenant-store.ts";
export type { FoundCandidate, FoundSet, IndexedText, PendingVector, SearchQuery, VectorIndex } from "../ports/text-index.ts";
export { type RunStatus, runStatuses, type ToolRun, toRun } from "../ports/to-run.ts";
export { hashToken, isTokenOf, newToken } from "../ports/token-text.ts";
export { chunksFor, type TurnPart, type TurnStream } from "../ports/turn-stream.ts";
export { type TurnUsage, type TurnUsageFilter, type TurnUsageGroup, turnUsageGroups } from "../ports/turn-usage.ts";
export {
  type BegunTurn,
  type ConversationMessage,
  type CutReason,
  cutReasons,
  describeCut,
  type HeldTurn,
  isOpenTurn,
  type KeptStep,
  type MessageFilter,
  messageLimit,
  type NewTurn,
  type OpeningTurn,
  type OpenStep,
  type QueuedMessage,
  sumBudgets,
  type TurnBudget,
  type TurnEnding,
  type TurnFilter,
  type TurnHold,
  type TurnNews,
  type TurnRecord,
  type TurnRef,
  type TurnState,
  type Turns,
  turnLimit,
  turnNotFound,
  turnStates,
  type WaitingMessage,
} from "../ports/turns.ts";
export { estimateDuration, type Usage, type UsageFilter, type UsageGroup, type UsageReader, usageGroups } from "../ports/usage-reader.ts";
export { type AgentToolRow, everythingEnabled, type VisibilityFacts } from "../ports/visibility-facts.ts";
export { isSignedWith, type SignedWebhook, signWebhook, webhookKey } from "../ports/webhook-signature.ts";
