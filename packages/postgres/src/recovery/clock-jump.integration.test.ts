import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, defaultPolicy, defineTool, type Engine } from "@toolwright/engine";
import { type Clock, silentLogger, systemClock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { openStore, type Store } from "../open-store.ts";
import { createServerDatabase } from "../testing/index.ts";
import { createTestFolder } from "../testing/prepare-test-databases.ts";

const hour = 3_600_000;
const day = 24 * hour;
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
    const kept = await right.calls.invokeNamed("change", { mark: "kept" }, { idempotencyKey: "k-kept" });
    const asked = await right.calls.invokeNamed("ask", { mark: "asked" });
    expect([kept.status, asked.status]).toEqual(["done", "pending"]);
    const long = right.calls.invokeNamed("change", { mark: "long" }, { idempotencyKey: "k-long" });
    await expect.poll(() => right.effects).toContain("long");

    let apart = 0;
    const jumped = await open("prc_jumped", { ...systemClock, now: () => Date.now() + apart });
    apart = ms;
    expect(Math.abs(jumped.store.clock.now() - right.store.clock.now())).toBeLessThan(5_000);
    await jumped.store.registry.look();
    expect(await jumped.calls.invokeNamed("change", { mark: "kept" }, { idempotencyKey: "k-kept" })).toMatchObject({
      callId: kept.callId,
      replayed: true,
    });
    const repeated = jumped.calls.invokeNamed("change", { mark: "long" }, { idempotencyKey: "k-long" });
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
    const ended = await long;
    expect(ended.status).toBe("done");
    expect(await repeated).toMatchObject({ callId: ended.callId, status: "done", replayed: true });
    expect([...right.effects, ...jumped.effects]).toEqual(["kept", "long", "job", "job 2"]);
  });
});

describe("R-AU-5: the machine of an embedded store, whose clock jumps", () => {
  let folder: string;
  let apart: number;
  const told: string[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "toolwright-jump-"));
    mkdirSync(folder, { recursive: true });
    await createTestFolder(join(folder, "data"), process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
    apart = 0;
    told.length = 0;
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    rmSync(folder, { recursive: true, force: true });
  });

  const open = async (name: string) => {
    const machine = { ...systemClock, now: () => Date.now() + apart };
    const store = await openStore({ folder, process: name, holder: name, clock: machine, warn: (message) => told.push(message) });
    closing.push(() => store.close());
    const change = defineTool({
      name: "change",
      description: "Changes something, for tests.",
      input: z.object({}),
      output: z.object({}),
      effects: { destructive: true },
      run: () => ({}),
    });
    const { events, approvals, idempotency, limiter, grants, clock } = store;
    const tools = [change, defineTool({ ...change, name: "ask", approval: "always_ask" })];
    const engine = createEngine({ tools, policy, events, approvals, idempotency, limiter, grants, clock });
    closing.push(() => engine.close());
    return { store, engine, calls: engine.scope(ann, { session: "s1" }) };
  };

  it.each([
    ["a day forward", day],
    ["a day back", -day],
  ])("%s, while a process holds the store and from one process to the next: nothing expires, runs twice or rests", async (_words, ms) => {
    const first = await open("prc_first");
    const kept = await first.calls.invoke("change", {}, { idempotencyKey: "k" });
    expect((await first.calls.invoke("ask", {})).status).toBe("pending");
    const schedule = await first.store.schedules.add(ann, { name: "minutely", when: { cron: "* * * * *" }, tool: "change", input: {} });
    const standing = async ({ store, calls }: Awaited<ReturnType<typeof open>>) => {
      await store.registry.look();
      expect(Math.abs(store.clock.now() - Date.now())).toBeLessThan(60_000);
      const { rows } = await sql<{ ms: number }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(
        store.database.owner,
      );
      expect(Math.abs((rows[0]?.ms ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await calls.invoke("change", {}, { idempotencyKey: "k" })).toMatchObject({ callId: kept.callId, replayed: true });
      await store.registry.noteExpired();
      expect(await store.approvals.list("default", { openAt: store.clock.now() })).toHaveLength(1);
    };
    apart = ms;
    await standing(first);
    expect(told).toEqual([expect.stringContaining(`was set ${ms > 0 ? "ahead" : "back"} by 24 hours`)]);
    for (const close of closing.splice(0).reverse()) await close();
    apart = 2 * ms;
    const next = await open("prc_next");
    await standing(next);
    const [{ nextAt } = { nextAt: 0 }] = (await next.store.schedules.list(ann)).filter(({ id }) => id === schedule.id);
    expect(Math.abs((nextAt ?? 0) - next.store.clock.now())).toBeLessThan(180_000);
  });
});
