import { type Leaving, startResuming, startRooms } from "@toolwright/agents";
import type { Engine, Logger, Principal } from "@toolwright/engine";
import type { LoopName } from "@toolwright/engine/operations";
import { createRandomIds, type VectorIndex } from "@toolwright/engine/ports";
import type { Store, Worker } from "@toolwright/postgres";
import { indexText, startDocuments, startVectors } from "@toolwright/tools";
import type { EngineStores } from "../assemble-engine.ts";
import type { Embedders } from "../embedders/open-embedders.ts";
import { isOperator, withAskedPermissions } from "../local-owner.ts";

interface LoopParts {
  /** One that lasts has words. */
  readonly store: Pick<EngineStores, "clock" | "knowledge" | "memories" | "turns"> & Partial<Pick<Store, "words">>;
  readonly embedders: Embedders;
  readonly logger: Logger;
  /** Goes on with turns of agents. Without it, they are left to other processes. */
  readonly agents?: { readonly engine: Engine; readonly leaving: Leaving } | undefined;
  /** Makes calls by itself: jobs, schedules, rooms, and what waited for an answer. Needs `agents`. */
  readonly worker?: {
    readonly store: Pick<Store, "rooms" | "sessions" | "standingOf" | "startWorker">;
    readonly concurrency?: number;
    readonly tenantConcurrency?: number;
  };
}

/** What works off what waits in a store, until it is stopped. */
export interface RunningLoops extends Pick<Worker, "running"> {
  /** Begins nothing more, and gives jobs that run so many milliseconds to end. */
  stop(graceMs?: number): Promise<void>;
}

interface RunningLoop extends Partial<Pick<Worker, "running">> {
  stop(graceMs?: number): Promise<void> | void;
}

/** Starts each loop of the subjects; undefined where the process has nothing for it to work with. */
const starters: { readonly [Each in LoopName]: (parts: LoopParts) => RunningLoop | undefined | Promise<RunningLoop | undefined> } = {
  rooms({ agents, worker, store: { clock, turns }, logger }) {
    if (!agents || !worker) return undefined;
    const { rooms, sessions } = worker.store;
    const standingOf = (stored: Principal) => standingNow(stored, { store: worker.store, engine: agents.engine });
    return { stop: startRooms({ ...agents, rooms, turns, sessions, clock, logger, ids: createRandomIds(), standingOf }) };
  },
  turns: ({ agents, store: { clock, turns }, logger }) => agents && { stop: startResuming({ ...agents, turns, clock, logger }) },
  memory_vectors: (parts) => keepVectors(parts.store.memories.vectors, parts.embedders.memoryEmbedder, parts),
  document_vectors: (parts) => keepVectors(parts.store.knowledge.vectors, parts.embedders.knowledgeEmbedder, parts),
  read_documents: ({ store: { clock, knowledge }, logger }) => ({
    stop: startDocuments({ store: knowledge, clock, ids: createRandomIds(), logger }),
  }),
  words({ store: { words }, logger }) {
    const onRemade = (count: number) =>
      logger.log("info", `Made the words anew that ${count === 1 ? "1 text is" : `${count} texts are`} found by.`);
    return words && { stop: words.keepCurrent({ indexOf: indexText, onRemade }) };
  },
  jobs({ agents, worker, logger }) {
    if (!agents || !worker) return undefined;
    const { store, ...limits } = worker;
    return store.startWorker({ engine: agents.engine, logger, isOperator, ...limits });
  },
};

/** Starts the loops of all subjects that this process has something for. Where one cannot start, it rejects, and none goes on. */
export async function startLoops(parts: LoopParts): Promise<RunningLoops> {
  const running: RunningLoop[] = [];
  const stop = async (graceMs?: number) => {
    await Promise.all(running.map((each) => each.stop(graceMs)));
  };
  try {
    for (const start of Object.values(starters)) {
      const started = await start(parts);
      if (started) running.push(started);
    }
  } catch (error) {
    await stop(0);
    throw error;
  }
  return {
    get running() {
      return running.reduce((sum, each) => sum + (each.running ?? 0), 0);
    },
    stop,
  };
}

function keepVectors(
  index: VectorIndex,
  embedder: Embedders["memoryEmbedder"],
  { store: { clock }, logger }: LoopParts,
): RunningLoop | undefined {
  return embedder && { stop: startVectors({ index, embedder, clock, logger }) };
}

/** Who stands behind what was stored, with the rights of now. */
async function standingNow(stored: Principal, { store, engine }: { readonly store: Pick<Store, "standingOf">; readonly engine: Engine }) {
  const standing = await store.standingOf(stored, { isOperator });
  if ("gone" in standing) return standing;
  const { principal } = standing;
  // What is stored says nothing of tools that ask for something since.
  return { principal: isOperator(principal) ? withAskedPermissions(engine, principal) : principal };
}
