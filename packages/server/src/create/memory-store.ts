import type { Engine, Logger } from "@toolwright/engine";
import {
  createMemoryApprovalStore,
  createMemoryArtifactStore,
  createMemoryCallTree,
  createMemoryCatalogueStore,
  createMemoryClientSessions,
  createMemoryEventLog,
  createMemoryForeignMarks,
  createMemoryGrantStore,
  createMemoryIdempotencyStore,
  createMemoryIdentity,
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
export type MemoryStore = EngineStores & Pick<Store, "clientSessions" | "openIdentity" | "sealKeys">;

export function createMemoryStore(): MemoryStore {
  const approvals = createMemoryApprovalStore();
  const idempotency = createMemoryIdempotencyStore();
  const events = createMemoryEventLog({ keys: idempotency });
  const limiter = createMemoryLimiter();
  const tenants = createMemoryTenantStore();
  let knownPermissions: () => readonly string[] = () => [];
  const identity = createMemoryIdentity({ clock: systemClock, tenants, knownPermissions: () => knownPermissions() });
  const [grants, memories, rooms, turns] = [createMemoryGrantStore(), createMemoryMemories(), createMemoryRooms(), createMemoryTurns()];
  return {
    approvals,
    artifacts: createMemoryArtifactStore(),
    callTree: createMemoryCallTree({ approvals }),
    catalogue: createMemoryCatalogueStore({ clock: systemClock, tenants, approvals, grants, identity, turns, rooms, memories }),
    clientSessions: createMemoryClientSessions(),
    clock: systemClock,
    events,
    foreign: createMemoryForeignMarks(),
    grants,
    idempotency,
    knowledge: createMemoryKnowledge(),
    limiter,
    limits: { read: async (principal) => [await readSessionUse(sharerOf(principal), { limiter, clock: systemClock })] },
    log: createMemorySessionReader(events),
    memories,
    openIdentity(options) {
      if (options?.knownPermissions) knownPermissions = options.knownPermissions;
      return identity;
    },
    policies: createMemoryPolicyStore(),
    rooms,
    runs: createMemoryRunReader(events),
    sealKeys: createMemorySealKeys(),
    sessions: createMemorySessionStore(),
    tenants,
    turnStream: createMemoryTurnStream(),
    turns,
    usage: createMemoryUsageReader(events),
  };
}

/** Ports that need a store that lasts. */
const lasting: readonly (keyof EngineStores)[] = ["accounts", "hooks", "jobs", "schedules"];

/** Says once which subjects a program does without that keeps its store in memory. */
export function tellUnserved({ subjects }: Pick<Engine, "subjects">, logger: Logger): void {
  const needing = subjects.operations.filter(({ needs }) => needs.some((port) => lasting.some((name) => name === port)));
  const names = [...new Set(needing.map(({ subject }) => subject))].join(", ");
  logger.log(
    "info",
    `Not served, because the store is in memory: ${names}. They need a store that lasts: give createToolwright a folder or the URL of a PostgreSQL.`,
  );
}
