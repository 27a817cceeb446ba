import { Leaving } from "@toolwright/agents";
import { createEngine } from "@toolwright/engine";
import type { Clock } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import type { Store } from "@toolwright/postgres";
import { expect, test } from "vitest";
import { createMemoryStore } from "../create/memory-store.ts";
import { startLoops } from "./start-loops.ts";

/** A store whose clock says how many timers wait for it. */
function openStore() {
  const waiting = new Set<object>();
  const clock: Clock = {
    ...createManualClock(),
    after(_, callback) {
      waiting.add(callback);
      return () => waiting.delete(callback);
    },
  };
  return { store: { ...createMemoryStore(), clock }, waiting };
}

const base = { embedders: { memoryEmbedder: undefined, knowledgeEmbedder: undefined }, logger: { log() {} } };

test("loops that have something to work with go on until they are stopped", async () => {
  const { store, waiting } = openStore();
  const loops = await startLoops({ ...base, store });
  expect(waiting.size).toBeGreaterThan(0);
  expect(loops.running).toBe(0);
  await loops.stop();
  expect(waiting.size).toBe(0);
});

test("where one loop cannot start, those before it do not go on", async () => {
  const { store, waiting } = openStore();
  const startWorker = async () => {
    throw new Error("The database is away.");
  };
  const worker = {
    store: {
      rooms: store.rooms,
      sessions: store.sessions,
      startWorker,
      standingOf: async (principal) => ({ principal, lost: [] }),
    } satisfies Partial<Store>,
  };
  const started = startLoops({ ...base, store, worker, agents: { engine: createEngine(), leaving: new Leaving() } });
  await expect(started).rejects.toThrow("The database is away.");
  expect(waiting.size).toBe(0);
});
