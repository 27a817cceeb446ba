import { type Clock, createEngine, defaultPolicy, defineTool, type Engine, silentLogger, systemClock } from "@toolwright/engine";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore, type Store } from "../open-store.ts";
import { createServerDatabase } from "../testing/index.ts";

const hour = 3_600_000;
const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
const ann = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest", source: "api" } as const;

interface Process {
  readonly store: Store;
  readonly engine: Engine;
  readonly effects: string[];
  readonly calls: ReturnType<Engine["scope"]>;
  release(): void;
}

describe("R-AU-5: a machine whose clock jumps, beside one whose clock does not", () => {
  let database: Awaited<ReturnType<typeof createServerDatabase>>;
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    database = await createServerDatabase();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await database.drop();
  });

  const open = async (process: string, machine: Clock = systemClock): Promise<Process> => {
    const store = await openStore({ url: database.url, folder: "", process, holder: process, connections: 4, clock: machine });
    closing.push(() => store.close());
    const effects: string[] = [];
    const gate = Promise.withResolvers<void>();
    const change = defineTool({
      name: "change",
      description: "Notes that it had its effect, for tests.",
      input: z.object({ mark: z.string() }),
      output: z.object({ text: z.string() }),
      effects: { destructive: true },
      async run({ mark }) {
        effects.push(mark);
        if (mark === "long") await gate.promise;
        return { text: mark };
      },
    });
    const { events, approvals, idempotency, limiter, grants, clock } = store;
    const tools = [change, defineTool({ ...change, name: "ask", approval: "always_ask" })];
    const engine = createEngine({ tools, policy, events, approvals, idempotency, limiter, grants, clock });
    closing.push(() => engine.close());
    return { store, engine, effects, calls: engine.scope(ann, { session: "s1" }), release: gate.resolve };
  };

  it.each([
    ["forward", hour],
    ["back", -hour],
  ])("an hour %s: nothing expires early or late, runs twice, or waits for the hour to pass", async (_where, ms) => {
    const right = await open("prc_right");
    const kept = await right.calls.invoke("change", { mark: "kept" }, { idempotencyKey: "k-kept" });
    const asked = await right.calls.invoke("ask", { mark: "asked" });
    expect([kept.status, asked.status]).toEqual(["done", "pending"]);
    const long = right.calls.invoke("change", { mark: "long" }, { idempotencyKey: "k-long" });
    await expect.poll(() => right.effects).toContain("long");

    let apart = 0;
    const jumped = await open("prc_jumped", { ...systemClock, now: () => Date.now() + apart });
    apart = ms;
    expect(Math.abs(jumped.store.clock.now() - right.store.clock.now())).toBeLessThan(5_000);
    await jumped.store.registry.look();
    expect(await jumped.calls.invoke("change", { mark: "kept" }, { idempotencyKey: "k-kept" })).toMatchObject({
      callId: kept.callId,
      replayed: true,
    });
    expect(await jumped.calls.invoke("change", { mark: "long" }, { idempotencyKey: "k-long" })).toMatchObject({
      error: { code: "idempotency_in_progress" },
    });
    expect(await jumped.store.approvals.list("default", { openAt: jumped.store.clock.now() })).toHaveLength(1);

    const worker = await right.store.startWorker({ engine: right.engine, logger: silentLogger });
    const made = await jumped.store.jobs.enqueue(ann, { tool: "change", input: { mark: "job" } });
    await expect.poll(async () => (await jumped.store.jobs.get(ann, made.id))?.state, { timeout: 10_000 }).toBe("done");
    await worker.stop();
    const other = await jumped.store.startWorker({ engine: jumped.engine, logger: silentLogger });
    const second = await right.store.jobs.enqueue(ann, { tool: "change", input: { mark: "job 2" } });
    await expect.poll(async () => (await right.store.jobs.get(ann, second.id))?.state, { timeout: 10_000 }).toBe("done");
    await other.stop();

    right.release();
    expect((await long).status).toBe("done");
    expect([...right.effects, ...jumped.effects]).toEqual(["kept", "long", "job", "job 2"]);
  });
});
