import {
  agentsCapability,
  type Leaving,
  type ModelSource,
  modelCapability,
  type OfferTools,
  outboundCapability,
  type RoomsParts,
  RunningTurns,
  type RunsParts,
  roomsCapability,
  schedulesCapability,
} from "@toolwright/agents";
import type { CapabilityProvider, Engine, Logger } from "@toolwright/engine";
import {
  type ArtifactStore,
  type CatalogueStore,
  type Clock,
  createRandomIds,
  type EventLog,
  type ForeignMarks,
  type Hooks,
  type SecretStore,
  type SessionStore,
  type TurnStream,
  type Turns,
} from "@toolwright/engine/ports";

interface AgentsParts {
  readonly engine: () => Engine;
  readonly turns: Turns;
  readonly stream: TurnStream;
  readonly events: EventLog;
  readonly foreign: ForeignMarks;
  readonly sessions: SessionStore;
  readonly artifacts: ArtifactStore;
  readonly catalogue: Pick<CatalogueStore, "agents" | "skills"> | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly models: ModelSource;
  readonly leaving: Leaving | undefined;
  readonly standingOf: RunsParts["standingOf"];
}

interface AgentCapabilityParts extends AgentsParts {
  readonly secrets: Pick<SecretStore, "get">;
  /** Absent in a store without them: there is nobody whom agents could answer. */
  readonly hooks: Pick<Hooks, "find"> | undefined;
  readonly rooms: RoomsParts["rooms"];
  /** What delivers their messages. */
  readonly http: CapabilityProvider<"http">;
}

const noHooks: Pick<Hooks, "find"> = { find: async () => undefined };

/** What agents give tools: turns, rooms, calls at times to come, and messages on the channels of hooks. */
export function agentCapabilities({
  hooks = noHooks,
  rooms,
  secrets,
  http,
  ...agents
}: AgentCapabilityParts): readonly CapabilityProvider[] {
  const { engine, catalogue, clock, foreign, logger, models, turns } = agents;
  const ids = createRandomIds();
  const running = new RunningTurns();
  return [
    openAgents(agents, running),
    modelCapability(() => ({ models, turns, clock, logger, agents: catalogue?.agents, running })),
    roomsCapability(() => ({ engine: engine(), rooms, foreign, clock })),
    schedulesCapability(() => ({ engine: engine(), agents: catalogue?.agents, foreign })),
    outboundCapability(() => ({ engine: engine(), hooks, secrets, clock, logger, ids }), http),
  ];
}

/** What agents need of a server: its engine and store, and the AI SDK door, which is loaded with the first turn. */
function openAgents(
  { engine, turns, stream, events, foreign, sessions, artifacts, catalogue, clock, logger, models, leaving, standingOf }: AgentsParts,
  running: RunningTurns,
): CapabilityProvider<"agents"> {
  const ids = createRandomIds();
  return agentsCapability(
    () => ({
      ...{ engine: engine(), turns, stream, events, foreign, sessions, artifacts, models, clock, ids, logger, offerTools },
      ...{ agents: catalogue?.agents, skills: catalogue?.skills, leaving, standingOf },
    }),
    running,
  );
}

const offerTools: OfferTools = async (scope, options) => {
  const { toAISDK, toModelOutput } = await import("@toolwright/doors/ai-sdk");
  return { ...toAISDK(scope, options), write: toModelOutput };
};
