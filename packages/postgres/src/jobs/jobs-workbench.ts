import { setTimeout as pause } from "node:timers/promises";
import {
  createEngine,
  createRandomIds,
  defaultPolicy,
  defineTool,
  type Engine,
  fail,
  type Jobs,
  type Principal,
  silentLogger,
} from "@toolwright/engine";
import { text } from "@toolwright/engine/testing";
import type { Database } from "../database/database.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { startWorker, type Worker, type WorkerOptions } from "./start-worker.ts";

export const alice: Principal = { tenant: "acme", actor: { kind: "user", id: "alice" }, permissions: [], door: "rest", source: "api" };

export interface Workbench {
  readonly engine: Engine;
  readonly jobs: Jobs;
  /** What the tools did, in order. */
  readonly done: string[];
  /** Lets the tools that wait for it end. */
  release(): void;
  work(options?: Partial<WorkerOptions>): Promise<Worker>;
}

/** An engine with tools that show what happened to them, over a database of its own. */
export function createWorkbench(database: Database): Workbench {
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const about = { title: "T", group: "test", input: text, output: text };
  const echo = defineTool({
    ...about,
    name: "echo",
    description: "Gives back its text.",
    effects: {},
    run: ({ text }, { progress }) => {
      progress(1, 2, "half");
      done.push(text);
      return { text };
    },
  });
  const held = defineTool({
    ...about,
    name: "held",
    description: "Waits until it may go on.",
    effects: {},
    run: async ({ text }, { signal }) => {
      done.push(text);
      await Promise.race([gate.promise, aborted(signal)]);
      return { text };
    },
  });
  const heldOnce = defineTool({ ...held, name: "held_once", effects: { destructive: true } });
  let failures = 0;
  const flaky = defineTool({
    ...about,
    name: "flaky",
    description: "Fails twice.",
    effects: {},
    run: ({ text }) => {
      done.push(text);
      failures += 1;
      if (failures < 3) throw new Error("not yet");
      return { text };
    },
  });
  const broken = defineTool({
    ...about,
    name: "broken",
    description: "Always fails.",
    effects: {},
    run: () => fail("broken", "It is broken."),
  });
  const asking = defineTool({ ...echo, name: "asking", description: "Asks first." });
  const engine = createEngine({
    tools: [echo, held, heldOnce, flaky, broken, asking],
    policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full", tools: { ask: ["asking"] } } }],
  });
  const ids = createRandomIds();
  return {
    engine,
    done,
    jobs: createPostgresJobs(database, { ids, now: Date.now }),
    release: gate.resolve,
    work: (options = {}) => startWorker(database, { engine, ids, logger: silentLogger, process: "w1", ...options }),
  };
}

const aborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }));

/** Polls until the condition holds. */
export async function until<Value>(read: () => Promise<Value> | Value, holds: (value: Value) => boolean, ms = 15_000): Promise<Value> {
  for (const deadline = Date.now() + ms; ; ) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`It did not come to pass within ${ms} ms; last: ${JSON.stringify(value)}`);
    await pause(20);
  }
}
