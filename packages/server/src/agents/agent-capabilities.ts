import {
  modelCapability,
  outboundCapability,
  type RoomsParts,
  RunningTurns,
  roomsCapability,
  schedulesCapability,
} from "@toolwright/agents";
import type { CapabilityProvider } from "@toolwright/engine";
import { createRandomIds, type Hooks, type SecretStore } from "@toolwright/engine/ports";
import { type AgentsParts, openAgents } from "./open-agents.ts";

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
