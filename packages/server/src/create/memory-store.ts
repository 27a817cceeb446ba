import {
  createMemoryApprovalStore,
  createMemoryArtifactStore,
  createMemoryCallTree,
  createMemoryClientSessions,
  createMemoryEventLog,
  createMemoryForeignMarks,
  createMemoryGrantStore,
  createMemoryIdempotencyStore,
  createMemoryKnowledge,
  createMemoryLimiter,
  createMemoryMemories,
  createMemoryPolicyStore,
  createMemoryRooms,
  createMemoryRunReader,
  createMemorySealKeys,
  createMemorySessionReader,
  createMemorySessionStore,
  createMemoryTenantStore,
  createMemoryTurnStream,
  createMemoryTurns,
  createMemoryUsageReader,
  readSessionUse,
  sharerOf,
  systemClock,
} from "@toolwright/engine/ports";
import type { Store } from "@toolwright/postgres";
import type { EngineStores } from "../assemble-engine.ts";

/** What a store keeps, for as long as the process runs. It has the tenant `default` from the beginning. */
export type MemoryStore = Omit<EngineStores, "catalogue"> & Pick<Store, "clientSessions" | "sealKeys">;

export function createMemoryStore(): MemoryStore {
  const approvals = createMemoryApprovalStore();
  const idempotency = createMemoryIdempotencyStore();
  const events = createMemoryEventLog({ keys: idempotency });
  const limiter = createMemoryLimiter();
  const tenants = createMemoryTenantStore();
  return {
    approvals,
    artifacts: createMemoryArtifactStore(),
    callTree: createMemoryCallTree({ approvals }),
    clientSessions: createMemoryClientSessions(),
    clock: systemClock,
    events,
    foreign: createMemoryForeignMarks(),
    grants: createMemoryGrantStore(),
    idempotency,
    knowledge: createMemoryKnowledge(),
    limiter,
    limits: { read: async (principal) => [await readSessionUse(sharerOf(principal), { limiter, clock: systemClock })] },
    log: createMemorySessionReader(events),
    memories: createMemoryMemories(),
    policies: createMemoryPolicyStore(),
    rooms: createMemoryRooms(),
    runs: createMemoryRunReader(events),
    sealKeys: createMemorySealKeys(),
    sessions: createMemorySessionStore(),
    tenants,
    turnStream: createMemoryTurnStream(),
    turns: createMemoryTurns(),
    usage: createMemoryUsageReader(events),
  };
}
