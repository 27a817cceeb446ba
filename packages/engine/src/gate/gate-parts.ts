import type { Snapshot } from "../catalogue/catalogue.ts";
import type { SearchTools } from "../catalogue/search/search-tools.ts";
import type { CallResult } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import type { MachineFacts, Policy } from "../policy/compile-policy.ts";
import type { PolicyTier } from "../policy/policy.ts";
import type { ApprovalStore } from "../ports/approval-store.ts";
import type { ArtifactStore } from "../ports/artifact-store.ts";
import type { CallTree } from "../ports/call-tree.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import type { Clock } from "../ports/clock.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { ForeignMarks } from "../ports/foreign-marks.ts";
import type { GrantStore } from "../ports/grant-store.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { Ids } from "../ports/ids.ts";
import type { Limiter } from "../ports/limiter.ts";
import type { Logger } from "../ports/logger.ts";
import type { SandboxRules } from "../ports/policy-rules.ts";
import type { PolicyStore } from "../ports/policy-store.ts";
import type { SecretStore } from "../ports/secret-store.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Tenants } from "../ports/tenant-store.ts";
import type { VisibilityFacts } from "../ports/visibility-facts.ts";
import type { RulePosition } from "./explanation.ts";
import type { Sealer } from "./sealed/sealer.ts";
import type { PartRequest } from "./tree/part-request.ts";

/** Which gaps in the protection of its runs each session knows of, so that every run of it does not repeat them. */
export interface ReportedGaps {
  /** The gaps that this session has not heard of lately; from now on it has. */
  tell(conversation: { readonly principal: Principal; readonly session: string }, gaps: readonly string[]): readonly string[];
}

/** What the stages work with. `snapshot`, `policy` and `machine` are asked anew for each call, so a reload takes effect at once. */
export interface GateParts {
  readonly snapshot: (tenant: string) => Snapshot;
  readonly policy: (tenant: string) => Policy;
  /** The policy that would hold with these tiers in place of a tenant's own. */
  readonly draftPolicy: (own: readonly PolicyTier[]) => Policy;
  readonly machine: (sandbox: SandboxRules) => MachineFacts;
  readonly capabilities: ReadonlyMap<string, CapabilityProvider>;
  readonly approvals: ApprovalStore;
  readonly grants: GrantStore;
  readonly foreign: ForeignMarks;
  readonly events: EventLog;
  readonly artifacts: ArtifactStore;
  readonly secrets: SecretStore;
  /** Keeps what is sensitive where a call waits with it. */
  readonly sealer: Sealer;
  readonly limiter: Limiter;
  readonly idempotency: IdempotencyStore;
  readonly tenants: Tenants;
  readonly sessions: SessionStore;
  readonly policies: PolicyStore;
  readonly visibility: VisibilityFacts;
  readonly searchTools: SearchTools;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly telemetry?: Telemetry | undefined;
  /** Where a rule stands in a file; undefined for what no file says. */
  readonly locateRule: (rule: string) => RulePosition | undefined;
  readonly reportedGaps: ReportedGaps;
  readonly callTree: CallTree;
  /** Takes a call that another call makes through the gate. */
  readonly passPart: (request: PartRequest) => CallResult | Promise<CallResult>;
  /** Milliseconds. */
  readonly approvalTtlMs: number;
  /** Bytes of one artifact at most. */
  readonly maxArtifactBytes: number;
}
