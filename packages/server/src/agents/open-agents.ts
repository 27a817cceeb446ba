import {
  agentsCapability,
  anthropicModels,
  bedrockModels,
  createModelSource,
  demoModels,
  type Leaving,
  type ModelKeysOptions,
  type ModelSource,
  modelKeys,
  type OfferTools,
  openAICompatibleModels,
  openAIModels,
} from "@toolwright/agents";
import type { CapabilityProvider, Engine, Logger } from "@toolwright/engine";
import {
  type CatalogueStore,
  type Clock,
  createRandomIds,
  type EventLog,
  type SessionStore,
  type TurnStream,
  type Turns,
} from "@toolwright/engine/ports";

/** The model of agents that name none, as the operator sets it. */
export interface ModelSettings {
  /** `provider/name`; undefined for a model that needs nothing and is none. */
  readonly name?: string | undefined;
  /** Of a server that speaks Chat Completions, up to and with `/v1`. */
  readonly url?: string | undefined;
  /** Of that server, where it wants one. */
  readonly key?: string | undefined;
  /** The operator's keys for hosted models. */
  readonly operator?: ModelKeysOptions["operator"];
}

export interface AgentsParts {
  readonly engine: () => Engine;
  readonly turns: Turns;
  readonly stream: TurnStream;
  readonly events: EventLog;
  readonly sessions: SessionStore;
  readonly secrets: ModelKeysOptions["secrets"];
  readonly catalogue: Pick<CatalogueStore, "agents" | "skills"> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly model: ModelSettings;
  readonly leaving: Leaving | undefined;
}

const withoutKey = "demo/demo";

/** What agents need of a server: its engine and store, models, and the AI SDK door, which is loaded with the first turn. */
export function openAgents({
  engine,
  turns,
  stream,
  events,
  sessions,
  secrets,
  catalogue,
  clock,
  logger,
  model,
  leaving,
}: AgentsParts): CapabilityProvider<"agents"> {
  const ids = createRandomIds();
  const models = openModels(model, secrets);
  return agentsCapability(() => ({
    ...{ engine: engine(), turns, stream, events, sessions, models, clock, ids, logger, offerTools },
    ...{ agents: catalogue?.agents, skills: catalogue?.skills, leaving },
  }));
}

function openModels({ name, url, key, operator }: ModelSettings, secrets: ModelKeysOptions["secrets"]): ModelSource {
  const keys = modelKeys({ secrets, operator });
  return createModelSource({
    usual: name ?? withoutKey,
    providers: new Map([
      ["demo", async () => demoModels()],
      ["openai-compatible", async () => openAICompatibleModels({ server: url === undefined ? undefined : { url, key } })],
      ["openai", async () => openAIModels({ keys })],
      ["anthropic", async () => anthropicModels({ keys })],
      ["bedrock", async () => bedrockModels({ keys })],
    ]),
  });
}

const offerTools: OfferTools = async (scope, options) => {
  const { toAISDK, toModelOutput } = await import("@toolwright/doors/ai-sdk");
  return { ...toAISDK(scope, options), write: toModelOutput };
};
