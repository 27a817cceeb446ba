import { setImmediate as nextTurn } from "node:timers/promises";
import { type CallResult, createEngine, defaultPolicy, defineTool, type Engine } from "@toolwright/engine";
import { findBrokenLink, type IdempotencyStore } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { type EngineProcess, openTestDatabase, startEngineProcess, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { beat } from "./beat.ts";
import { createProcessRegistry } from "./process-registry.ts";

/** The tool runs unasked. */
const policy = [{ tier: "platform" as const, document: { ...defaultPolicy, autonomy: "full" as const } }];
const ann = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "cli" } as const;

/** A tool that changes something, by `run`. */
const hold = (run: () => unknown) =>
  defineTool({
    name: "hold",
    description: "A tool for tests.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    effects: { destructive: true },
    run: run as () => { text: string },
  });

interface Opened {
  readonly engine: Engine;
  readonly idempotency: IdempotencyStore;
}

function openEngine(database: Database, process: string, run: () => unknown): Opened {
  const idempotency = createPostgresIdempotencyStore(database, { process });
  return {
    engine: createEngine({ tools: [hold(run)], policy, events: createPostgresEventLog(database, process), idempotency }),
    idempotency,
  };
}

const call = ({ engine }: Opened, idempotencyKey?: string) =>
  engine.scope(ann, { session: "s1" }).invokeNamed("hold", {}, idempotencyKey === undefined ? {} : { idempotencyKey });

describe.each(testDatabaseKinds)("two engines on one database, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("run the tool once for 100 parallel calls with one key (R-AU-4)", async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      await nextTurn();
      return { text: String(runs) };
    };
    const second = kind === "server" ? await test.reopen() : test.database;
    const engines = [openEngine(test.database, "p1", run), openEngine(second, "p2", run)] as const;
    const results = await Promise.all(Array.from({ length: 100 }, (_, n) => call(engines[n % 2 === 0 ? 0 : 1], "order-7")));
    expect(runs).toBe(1);
    const codes = results.map((result) => (result.status === "failed" ? result.error.code : result.status));
    expect(codes.filter((code) => code !== "done" && code !== "idempotency_in_progress")).toEqual([]);
    for (const engine of engines)
      expect(await call(engine, "order-7")).toMatchObject({ status: "done", output: { text: "1" }, replayed: true });
    expect(runs).toBe(1);
  });
});

describe("a process that ends or sleeps in the middle of a call", () => {
  let test: TestDatabase;
  let children: EngineProcess[] = [];
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterEach(() => {
    for (const { child } of children) child.kill("SIGKILL");
    children = [];
  });
  afterAll(() => test.cleanup());

  const start = async (process: string, options: Parameters<typeof startEngineProcess>[2]) => {
    const child = startEngineProcess(test.url ?? "", process, options);
    children.push(child);
    expect(await child.line()).toBe("started");
    return child;
  };
  const watch = () => createProcessRegistry(test.database, { process: "watcher", role: "serve", host: "here", beatMs: 50, leaseMs: 1_000 });
  const endingsOf = async (callId: string) => {
    const stored = await createPostgresEventLog(test.database, "reader").read({ tenant: "acme", session: "s1" });
    expect(findBrokenLink(stored)).toBeUndefined();
    return stored.flatMap(({ event }) => (event.callId === callId && event.type !== "tool.started" ? [event] : []));
  };
  const callOf = async () => {
    const rows = await test.database.asSystem((query) => query.selectFrom("toolwright.calls_in_flight").selectAll().execute());
    expect(rows).toHaveLength(1);
    return rows[0]?.call_id ?? "";
  };

  it("killed: its call ends as unknown within the lease, its key says so, and nothing runs twice (R-AU-5, R-AU-6)", async () => {
    const child = await start("killed", { key: "k-killed" });
    const callId = await callOf();
    child.kill("SIGKILL");
    const registry = await watch();
    await expect.poll(() => endingsOf(callId), { timeout: 10_000 }).toMatchObject([{ type: "tool.failed", data: { outcome: "unknown" } }]);
    const run = vi.fn(() => ({ text: "again" }));
    expect(await call(openEngine(test.database, "next", run), "k-killed")).toMatchObject({
      status: "unknown",
      callId,
      error: { code: "call_lost" },
      replayed: true,
    });
    expect(run).not.toHaveBeenCalled();
    await registry.close();
  });

  it("killed: a call of a tool that is idempotent runs again under its key", async () => {
    const child = await start("killed-too", { key: "k-again", idempotent: true });
    const callId = await callOf();
    child.kill("SIGKILL");
    const registry = await watch();
    await expect.poll(() => endingsOf(callId), { timeout: 10_000 }).toMatchObject([{ data: { outcome: "unknown", rerunnable: true } }]);
    const run = vi.fn(() => ({ text: "again" }));
    expect(await call(openEngine(test.database, "next", run), "k-again")).toMatchObject({ status: "done", output: { text: "again" } });
    expect(run).toHaveBeenCalledOnce();
    await registry.close();
  });

  it.each([
    ["a key", "sleeper", { key: "k-sleeper" }],
    ["no key", "sleeper-too", {}],
  ])(
    "stopped and woken after its lease, with %s: the log keeps the one ending, and its own caller is told the same",
    async (_, name, options) => {
      const child = await start(name, options);
      const callId = await callOf();
      child.kill("SIGSTOP");
      const registry = await watch();
      await expect.poll(() => endingsOf(callId), { timeout: 10_000 }).toHaveLength(1);
      child.kill("SIGCONT");
      child.release();
      const result = JSON.parse(await child.line()) as CallResult;
      expect(result).toMatchObject({ status: "unknown", callId, error: { code: "call_lost" } });
      expect(await endingsOf(callId)).toMatchObject([{ type: "tool.failed", data: { outcome: "unknown" } }]);
      await registry.close();
    },
  );

  it("stopped while it shows life: its row is locked no longer than a lease", async () => {
    const { database } = test;
    const [held, woken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stopped: Database = {
      ...database,
      asSystem: (work) =>
        database.asSystem(async (query) => {
          const result = await work(query);
          held.resolve();
          await woken.promise;
          return result;
        }),
    };
    const seen = { process: "stopped", role: "child", host: "here" };
    await beat(database, { ...seen, leaseMs: 1_000 });
    const late = beat(stopped, { ...seen, leaseMs: 1_000 });
    const told = expect(late).rejects.toThrow();
    await held.promise;
    const isFree = () =>
      database.asSystem((query) =>
        sql`select from toolwright.processes where process = 'stopped' for update skip locked`
          .execute(query)
          .then(({ rows }) => rows.length),
      );
    try {
      await expect.poll(isFree, { timeout: 5_000 }).toBe(1);
    } finally {
      woken.resolve();
    }
    await told;
  });

  it("slow but alive: it is left alone", async () => {
    const child = await start("slow", {});
    const callId = await callOf();
    const registry = await watch();
    const shown = () =>
      test.database.asSystem((query) =>
        query.selectFrom("toolwright.processes").select(["started_at", "seen_at"]).where("process", "=", "slow").executeTakeFirstOrThrow(),
      );
    await expect
      .poll(async () => Number((await shown()).seen_at) - Number((await shown()).started_at), { timeout: 10_000 })
      .toBeGreaterThan(1_500);
    await registry.look();
    expect(await endingsOf(callId)).toEqual([]);
    child.release();
    expect(JSON.parse(await child.line())).toMatchObject({ status: "done" });
    expect(await endingsOf(callId)).toMatchObject([{ type: "tool.completed" }]);
    await registry.close();
  });
});
