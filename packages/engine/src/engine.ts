import { Catalogue } from "./catalogue/catalogue.ts";
import { loadFolder } from "./catalogue/load-folder.ts";
import { createToolSearch } from "./catalogue/search/search-tools.ts";
import { createTenantSnapshots } from "./catalogue/tenant-snapshots.ts";
import { checkCalls } from "./check-calls.ts";
import { ToolwrightError } from "./contract/errors.ts";
import type { GivenPrincipal, Principal } from "./contract/principal.ts";
import type { Engine, EngineOptions } from "./engine-types.ts";
import type { GateParts } from "./gate/gate-parts.ts";
import { SessionGaps } from "./gate/notes/note-result.ts";
import { defaultMaxArtifactBytes } from "./gate/run/project-output.ts";
import { secretsCapability } from "./gate/run/secrets-capability.ts";
import { sealStores } from "./gate/sealed/sealed-results.ts";
import { Sealer } from "./gate/sealed/sealer.ts";
import { openProductSession, openSession } from "./gate/session-access.ts";
import { passPart } from "./gate/tree/pass-part.ts";
import { resumeDue } from "./gate/tree/resume-tree.ts";
import { createMemoryApprovalStore } from "./memory/approval-store.ts";
import { createMemoryArtifactStore } from "./memory/artifact-store.ts";
import { createMemoryCallTree } from "./memory/call-tree.ts";
import { createMemoryEventLog } from "./memory/event-log.ts";
import { createMemoryForeignMarks } from "./memory/foreign-marks.ts";
import { createMemoryGrantStore } from "./memory/grant-store.ts";
import { createMemoryIdempotencyStore } from "./memory/idempotency-store.ts";
import { createMemoryLimiter } from "./memory/limiter.ts";
import { createMemoryPolicyStore } from "./memory/policy-store.ts";
import { createMemoryTenantKeys } from "./memory/seal-keys.ts";
import { createMemorySecretStore } from "./memory/secret-store.ts";
import { createMemorySessionStore } from "./memory/session-store.ts";
import type { OperateOptions, Operation } from "./operations/define-operation.ts";
import { joinSubjects, ownSubjects, type Subjects } from "./operations/join-subjects.ts";
import type { Administration } from "./operations/operation-types.ts";
import { followOperation, listOperations, runOperation } from "./operations/run-operation.ts";
import type { MachineFacts } from "./policy/compile-policy.ts";
import { createTenantPolicies } from "./policy/policies-in-force.ts";
import { tiersOf } from "./policy/policy-option.ts";
import { systemClock } from "./ports/clock.ts";
import { createRandomIds } from "./ports/ids.ts";
import { createStderrLogger, type Logger } from "./ports/logger.ts";
import type { ModuleSource } from "./ports/module-source.ts";
import { everyTenant } from "./ports/tenant-store.ts";
import { everythingEnabled } from "./ports/visibility-facts.ts";
import { createScope } from "./scope.ts";
import { tellApprovals, tellEvents } from "./tell-embedder.ts";
import type { AnyTool } from "./tool/define-tool.ts";
import { weightsOf } from "./tool/effects.ts";
import type { TypesOf } from "./tool/tool-types.ts";

/** Suspended calls that one look goes on with. */
const mostAtOnce = 16;
const noSandbox: MachineFacts = { sandbox: { available: false, detail: "No sandbox driver is configured." } };
const day = 24 * 60 * 60 * 1000;

/**
 * Makes an engine. What the options leave out is kept in memory.
 *
 * @example examples/refunds/main.ts#engine
 * ```ts
 * const inbox: string[] = [];
 * const engine = createEngine({
 *   tools: [orderTotal, refund],
 *   policy: { ask: ["refund"] },
 *   onApproval: ({ id, summary }) => inbox.push(`${id}: ${summary}`),
 * });
 * ```
 */
export function createEngine<const Tools extends readonly AnyTool[] = readonly []>(
  options: EngineOptions<Tools> = {},
): Engine<TypesOf<Tools>> {
  const logger = options.logger ?? createStderrLogger();
  const secrets = options.secrets ?? createMemorySecretStore();
  const capabilities = new Map([secretsCapability(secrets), ...(options.capabilities ?? [])].map((provider) => [provider.name, provider]));
  const catalogue = new Catalogue({
    environment: options.environment ?? new Set(),
    // The gate itself gives a call its `ctx.tools`.
    capabilities: new Set<string>([...capabilities.keys(), "tools"]),
    warn: (message) => logger.log("warn", message),
    weights: weightsOf(options.capabilities ?? []),
  });
  const listeners = new Set<() => void>();
  const tellListeners = () => {
    for (const listener of listeners) listener();
  };
  const policies = options.policies ?? createMemoryPolicyStore();
  const policy = createTenantPolicies(tiersOf(options.policy ?? "supervised"), policies, logger);
  const code = () => catalogue.snapshot;
  const { tenantTools, tenantToolExecutor: executor, agentTool: defineAgentTool } = options;
  const builtIn = { kind: "builtin", source: "built-in" } as const;
  const agentTool = defineAgentTool && ((agent: string) => catalogue.compile(defineAgentTool(agent), builtIn));
  const snapshot = tenantTools ? createTenantSnapshots({ code, rows: tenantTools, executor, agentTool, logger }) : code;
  const subjects = options.subjects ? joinSubjects(options.subjects) : ownSubjects;
  const administration = subjects.checkPorts(options.administration ?? {});
  const parts = makeParts(
    { ...options, logger },
    { snapshot, policies, policy: policy.of, draftPolicy: policy.draft, secrets, capabilities },
  );
  catalogue.register(options.tools ?? [], builtIn);
  catalogue.onChange(tellListeners);
  const unfollow = [tenantTools?.onChange(tellListeners), policies.onChange(tellListeners)];
  return {
    ...openOperations({ subjects, administration, code, parts }),
    register: (tools, source = "embedder") => catalogue.register(tools, { kind: "embedder", source }),
    registerFormSpec: (key, spec) => catalogue.registerFormSpec(key, spec),
    registerViewSpec: (key, spec) => catalogue.registerViewSpec(key, spec),
    load: (source) => loadFolder(catalogue, source, parts.clock),
    watch: (source, onReport) => watchFolder((from) => loadFolder(catalogue, from, parts.clock), source, onReport),
    scope: (given, { session = parts.ids.next("ses") } = {}) => createScope(toPrincipal(given), session, parts),
    openSession: (given, name) => openSession(toPrincipal(given), name, parts),
    snapshot: code,
    checkCalls: () => checkCalls(parts),
    resumeDue: ({ limit = mostAtOnce } = {}) => resumeDue(limit, parts),
    sealing: sealingOf(parts),
    endWait: (tenant, wait) => parts.callTree.answer(tenant, wait),
    setPolicy(wanted) {
      policy.set(tiersOf(wanted));
      tellListeners();
    },
    async endSession(tenant, session) {
      await Promise.all([...parts.capabilities.values()].map((provider) => provider.endSession?.(tenant, session)));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      for (const stop of unfollow) stop?.();
      await Promise.all([...parts.capabilities.values(), options.embedder].map((held) => held?.close?.()));
    },
  };
}

interface OperationParts {
  readonly subjects: Subjects;
  readonly administration: Administration;
  readonly code: Engine["snapshot"];
  readonly parts: GateParts;
}

/** All of an engine that is not a call. */
function openOperations(own: OperationParts): Pick<Engine, "follow" | "operate" | "operateNamed" | "operations" | "subjects"> {
  const { subjects, parts } = own;
  const requestOf = async (given: GivenPrincipal, name: string, options: OperateOptions) => {
    const principal = toPrincipal(given);
    const session = options.session ?? (await openAdminSession(principal, subjects.find(name), parts));
    const scopeAs = (agent: string) => createScope({ ...principal, agent }, session, parts);
    return { ...own, scope: createScope(principal, session, parts), scopeAs };
  };
  const operateNamed: Engine["operateNamed"] = async (given, name, input, { session, signal } = {}) =>
    runOperation({ ...(await requestOf(given, name, { session })), name, input, signal });
  return {
    subjects,
    operate: operateNamed as Engine["operate"],
    operateNamed,
    follow: async (given, name, input, { session, signal }) =>
      followOperation({ ...(await requestOf(given, name, { session })), name, input, signal }),
    operations: (given) => listOperations(toPrincipal(given), own),
  };
}

/** One a day for each who changes something, so that days of the log can be removed. What only reads leaves nothing there. */
async function openAdminSession(principal: Principal, { effect }: Pick<Operation, "effect">, parts: GateParts): Promise<string> {
  if (effect === "read") return "admin";
  return openProductSession(principal, `admin-${new Date(parts.clock.now()).toISOString().slice(0, 10)}`, parts);
}

const sealingOf = ({ sealer }: GateParts): Engine["sealing"] => ({
  seal: (tenant, what, value) => sealer.seal({ tenant, what }, value),
  open: (tenant, what, sealed) => sealer.open({ tenant, what }, sealed),
});

const doorForm = /^[a-z][a-z0-9-]{0,31}$/;

function toPrincipal({ door = "code", permissions = [], ...rest }: GivenPrincipal): Principal {
  if (doorForm.test(door)) return { ...rest, door, permissions };
  const message = `The door ${JSON.stringify(door)} is no name. Begin it with a lower-case letter; letters, digits and dashes follow, 32 in all.`;
  throw new ToolwrightError("principal_invalid", message);
}

function makeParts(
  options: EngineOptions & { readonly logger: Logger },
  live: Pick<GateParts, "snapshot" | "policy" | "draftPolicy" | "policies" | "secrets" | "capabilities">,
): GateParts {
  const ids = options.ids ?? createRandomIds();
  const clock = options.clock ?? systemClock;
  const { logger } = options;
  const approvals = options.approvals ?? createMemoryApprovalStore();
  const idempotency = options.idempotency ?? createMemoryIdempotencyStore();
  const events = options.events ?? createMemoryEventLog({ keys: idempotency });
  const { onApproval, onEvent, callTree = createMemoryCallTree({ approvals }) } = options;
  const sealer = new Sealer(options.tenantKeys ?? createMemoryTenantKeys());
  const stores = sealStores({ events: onEvent ? tellEvents(events, onEvent, logger) : events, idempotency, callTree }, sealer);
  const parts: GateParts = {
    ...live,
    machine: options.machine ?? (() => noSandbox),
    approvals: onApproval ? tellApprovals(approvals, onApproval, logger) : approvals,
    grants: options.grants ?? createMemoryGrantStore(),
    foreign: options.foreign ?? createMemoryForeignMarks(),
    ...stores,
    sealer,
    artifacts: options.artifacts ?? createMemoryArtifactStore({ ids }),
    limiter: options.limiter ?? createMemoryLimiter(),
    tenants: options.tenants ?? options.events?.tenants ?? everyTenant,
    sessions: options.sessions ?? createMemorySessionStore(),
    visibility: options.visibility ?? everythingEnabled,
    searchTools: createToolSearch({ embedder: options.embedder, logger }),
    clock,
    ids,
    logger,
    telemetry: options.telemetry,
    locateRule: options.locateRule ?? (() => undefined),
    reportedGaps: new SessionGaps(clock),
    passPart: (request) => passPart(request, parts),
    approvalTtlMs: options.approvalTtlMs ?? day,
    maxArtifactBytes: options.maxArtifactBytes ?? defaultMaxArtifactBytes,
  };
  return parts;
}

/** Loads one change after the other; changes that come while one loads are one more load. */
async function watchFolder(loadOnce: Engine["load"], source: ModuleSource, onReport: Parameters<Engine["watch"]>[1]): Promise<() => void> {
  let stopped = false;
  let last = Promise.resolve();
  let queued = false;
  const load = async () => {
    queued = false;
    if (!stopped) onReport(await loadOnce(source));
  };
  onReport(await loadOnce(source));
  const stop = source.watch(() => {
    if (queued) return;
    queued = true;
    last = last.then(load, load);
  });
  return () => {
    stopped = true;
    stop();
  };
}
