import { hookChannels, inspectModels, type Leaving } from "@toolwright/agents";
import { createEngine, type Engine, type EngineOptions, type Principal } from "@toolwright/engine";
import { askedPermissions } from "@toolwright/engine/catalogue";
import {
  type Administration,
  type CatalogueStore,
  createRandomIds,
  type SecretAdmin,
  type SecretStore,
  type TenantKeys,
  type TenantStore,
} from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import {
  codeCapability,
  indexText,
  type KnowledgeParts,
  knowledgeCapability,
  type MemoryParts,
  memoryCapability,
  type OperatorSearch,
  searchCapability,
  searchKnowledge,
} from "@toolwright/tools";
import { agentCapabilities } from "./agents/agent-capabilities.ts";
import { type ModelSettings, openModels } from "./agents/open-models.ts";
import { agentTool } from "./built-in-tools.ts";
import { openBrowser } from "./capabilities/open-browser.ts";
import { isOperator } from "./local-owner.ts";
import type { Machine } from "./machine/machine.ts";
import { type MachineParts, machineCapabilities, machineHttp } from "./machine/machine-capabilities.ts";
import { machineFacts } from "./machine/machine-facts.ts";
import { productSubjects } from "./product-subjects.ts";

/** What an engine keeps, in a database or in memory. */
export type EngineStores = Pick<
  Store,
  | ("approvals" | "artifacts" | "callTree" | "clock" | "events" | "foreign" | "grants" | "idempotency")
  | ("limiter" | "policies" | "sessions")
> &
  Pick<Store, "knowledge" | "limits" | "log" | "memories" | "rooms" | "runs" | "turnStream" | "turns" | "usage"> &
  Partial<Pick<Store, "accounts" | "hooks" | "jobs" | "openIdentity" | "retention" | "schedules" | "standingOf">> & {
    readonly catalogue?: CatalogueStore;
    readonly tenants: TenantStore;
  };

interface EngineParts extends MachineParts, Pick<EngineOptions, "embedder" | "locateRule" | "onApproval" | "onEvent" | "telemetry"> {
  readonly machine: Machine;
  readonly store: EngineStores;
  readonly tools: NonNullable<EngineOptions["tools"]>;
  readonly policy: NonNullable<EngineOptions["policy"]>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly model?: ModelSettings | undefined;
  readonly search?: OperatorSearch | undefined;
  /** Without it, calls that wait with sensitive members do not outlive the process. */
  readonly tenantKeys?: TenantKeys | undefined;
  /** Without it, turns of agents that run when the process ends are cancelled. */
  readonly leaving?: Leaving;
  /** What operations of whoever runs the server work on. Without one of them, its operations are unavailable. */
  readonly operator?: Pick<Administration, "agentFiles" | "machine" | "masterKeys" | "policySource" | "store" | "toolSync">;
  /** Opens the model that finds memories by meaning. Without it, words and names decide. */
  readonly memoryEmbedder?: MemoryParts["embedder"];
  /** Opens the model that finds passages of documents by meaning. */
  readonly knowledgeEmbedder?: KnowledgeParts["embedder"];
}

/** The engine of a server: over its store, with the capabilities of its machine. */
export function assembleEngine({
  store,
  tools,
  policy,
  env,
  embedder,
  locateRule,
  onApproval,
  onEvent,
  telemetry,
  operator,
  memoryEmbedder,
  knowledgeEmbedder,
  model = {},
  search,
  leaving,
  ...parts
}: EngineParts): Engine {
  const { machine, secrets, tenantKeys, logger } = parts;
  const { approvals, artifacts, callTree, clock, events, foreign, grants, idempotency, limiter, policies, sessions, tenants, catalogue } =
    store;
  const { knowledge, limits, log, memories, rooms, runs, usage, hooks, jobs, schedules, turns, turnStream } = store;
  const models = openModels(model, { secrets, ownHosts: parts.ownHosts });
  const browser = openBrowser({ ...{ machine, env, secrets, clock, logger }, ownHosts: parts.ownHosts });
  const http = machineHttp(parts);
  const ids = createRandomIds();
  const documents = { store: knowledge, embedder: knowledgeEmbedder };
  const identity = store.openIdentity?.({ knownPermissions: () => askedPermissions(engine) });
  const engine: Engine = createEngine({
    ...{ approvals, artifacts, callTree, clock, events, foreign, grants, idempotency, limiter, policies, sessions, tenants },
    ...(catalogue && { visibility: catalogue.visibility, tenantTools: catalogue.tenantTools }),
    subjects: productSubjects,
    administration: {
      log,
      runs,
      usage,
      limits,
      hooks,
      channels: hookChannels,
      jobs,
      schedules,
      turns,
      turnStream,
      rooms,
      browsers: browser.inspector,
      knowledge: { store: knowledge, search: searchKnowledge(documents) },
      memories: { store: memories, indexOf: indexText },
      catalogue,
      identity,
      accounts: store.accounts,
      tenants,
      ...operator,
      retention: store.retention,
      models: inspectModels({ models, clock }),
      ...(isAdmin(secrets) && { secrets }),
    },
    ...(embedder && { embedder }),
    ...(locateRule && { locateRule }),
    ...(onApproval && { onApproval }),
    ...(onEvent && { onEvent }),
    ...(telemetry && { telemetry }),
    ...{ tools, agentTool, policy, secrets, logger },
    ...(tenantKeys && { tenantKeys }),
    capabilities: [
      ...machineCapabilities(parts),
      ...agentCapabilities({
        ...{ engine: () => engine, turns, stream: turnStream, events, foreign, sessions, artifacts, secrets, catalogue, rooms },
        ...{ clock, logger, models, leaving, hooks, http },
        standingOf: async (principal) => (await store.standingOf?.(principal, { isOperator: ownsMachine })) ?? { principal },
      }),
      browser,
      codeCapability({ clock }),
      memoryCapability({ store: memories, embedder: memoryEmbedder, foreign, clock, ids }),
      knowledgeCapability({ ...documents, http, foreign, clock, ids, logger }),
      searchCapability({ clock, secrets, http, operator: search }),
    ],
    environment: new Set(Object.keys(env)),
    machine: (rules) => machineFacts(machine.found, rules),
  });
  return engine;
}

/** Commands on this machine act for any tenant, and are members of none. */
const ownsMachine = (principal: Principal) => isOperator(principal) || (principal.door === "cli" && !principal.delegated);

/** A program may bring secrets that nobody sets here. */
function isAdmin(secrets: SecretStore): secrets is SecretStore & SecretAdmin {
  return "set" in secrets && "remove" in secrets && "list" in secrets;
}
