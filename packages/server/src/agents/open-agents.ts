import { agentsCapability, type Leaving, type ModelSource, type OfferTools, type RunningTurns, type RunsParts } from "@toolwright/agents";
import type { CapabilityProvider, Engine, Logger } from "@toolwright/engine";
import {
  type ArtifactStore,
  type CatalogueStore,
  type Clock,
  createRandomIds,
  type EventLog,
  type ForeignMarks,
  type SessionStore,
  type TurnStream,
  type Turns,
} from "@toolwright/engine/ports";

export interface AgentsParts {
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

/** What agents need of a server: its engine and store, and the AI SDK door, which is loaded with the first turn. */
export function openAgents(
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
