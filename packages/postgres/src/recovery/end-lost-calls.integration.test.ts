import { randomUUID } from "node:crypto";
import type { CallEvent, CallResult } from "@toolwright/engine";
import { findBrokenLink } from "@toolwright/engine/ports";
import { type KyselyPlugin, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { beat } from "./beat.ts";
import { endLostCalls } from "./end-lost-calls.ts";
import { createProcessRegistry } from "./process-registry.ts";

const leaseMs = 10_000;
const sweep = (database: Database) => endLostCalls(database, { process: "alive", leaseMs, now: 9_000 });
const register = (database: Database, process: string) => beat(database, { process, role: "serve", host: "here", leaseMs });
/** As if it had shown no life for a while. */
const age = (database: Database, process: string, ms = 60_000) =>
  database.asSystem((query) =>
    sql`update toolwright.processes set seen_at = clock_timestamp() - make_interval(secs => ${ms / 1000}) where process = ${process}`.execute(
      query,
    ),
  );
const event = (callId: string, more: Partial<CallEvent> = {}): CallEvent => ({
  type: "tool.started",
  at: 1_000,
  session: "s1",
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  agent: "helper",
  door: "mcp",
  source: "mcp",
  callId,
  tool: "pay",
  data: { input: {} },
  ...more,
});
const claim = (callId: string) => ({ tenant: "acme", key: `k_${callId}`, fingerprint: "f", callId, at: 1_000, expiresAt: 90_000_000 });
const done = (callId: string): CallResult => ({
  callId,
  tool: "pay",
  durationMs: 7,
  repairs: [],
  anomalies: [],
  artifacts: [],
  status: "done",
  output: { paid: 5 },
  content: [],
  truncations: [],
  decision: { effect: "allow", layer: "tool", rule: "r", reason: "r", revision: "1", findings: [] },
});

describe.each(testDatabaseKinds)("calls that their process left, %s", (kind) => {
  let test: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    database = test.database;
  });
  beforeEach(async () => {
    for (const table of ["events", "sessions", "processes", "calls_in_flight", "lost_calls", "idempotency_keys", "approvals"])
      await database.asSystem((query) => sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query));
    await register(database, "dead");
  });
  afterAll(() => test.cleanup());

  const readAll = async () => {
    const stored = await createPostgresEventLog(database, "reader").read({ tenant: "acme", session: "s1" });
    expect(findBrokenLink(stored)).toBeUndefined();
    return stored.map((one) => one.event);
  };
  const inFlight = async () =>
    (await database.asSystem((query) => query.selectFrom("toolwright.calls_in_flight").select("call_id").execute())).map(
      (row) => row.call_id,
    );

  it("are in flight from their start to their ending, and not at all when both are written together", async () => {
    const log = createPostgresEventLog(database, "dead");
    await log.append([event("c1")]);
    await log.append([event("c2"), event("c2", { type: "tool.completed" })]);
    expect(await inFlight()).toEqual(["c1"]);
    await log.append([event("c1", { type: "tool.failed" })]);
    expect(await inFlight()).toEqual([]);
  });

  it("end as unknown, with who asked and where, once the lease is over (R-AU-6)", async () => {
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    expect(await sweep(database)).toBe(0);
    await age(database, "dead");
    expect(await sweep(database)).toBe(1);
    const [, ending] = await readAll();
    expect(ending).toMatchObject({
      ...event("c1"),
      type: "tool.failed",
      at: 9_000,
      data: { outcome: "unknown", error: { code: "call_lost" } },
    });
    expect(ending?.data.rerunnable).toBeUndefined();
    expect(await sweep(database)).toBe(0);
    expect(await inFlight()).toEqual([]);
  });

  it("take no ending of their process any more, which hears of it; what else it writes at that moment is written", async () => {
    const log = createPostgresEventLog(database, "dead");
    await log.append([event("c1"), event("c2")]);
    await age(database, "dead");
    await sweep(database);
    const ending = (callId: string) => event(callId, { type: "tool.completed" });
    const [alone, together, other] = await Promise.allSettled([
      log.append([ending("c1")]),
      log.append([ending("c2"), event("c3")]),
      log.append([event("c4")]),
    ]);
    for (const refused of [alone, together]) expect(refused).toMatchObject({ status: "rejected", reason: { code: "call_lost" } });
    expect(other).toMatchObject({ status: "fulfilled" });
    await expect(log.append([ending("c1")])).rejects.toMatchObject({ code: "call_lost" });
    const written = (await readAll()).map(({ callId, type }) => `${callId} ${type}`);
    expect(written.slice(2).sort()).toEqual(["c1 tool.failed", "c2 tool.failed", "c3 tool.started", "c4 tool.started"]);
  });

  it("are marked as fit to run again when their tool said so", async () => {
    await createPostgresEventLog(database, "dead").append([event("c1", { data: { idempotent: true } })]);
    await age(database, "dead");
    await sweep(database);
    expect((await readAll())[1]?.data).toMatchObject({ outcome: "unknown", rerunnable: true });
  });

  it("answer their idempotency key with unknown, or free it where running twice does no harm (R-AU-4)", async () => {
    const keys = createPostgresIdempotencyStore(database, { process: "dead" });
    for (const id of ["changes", "idempotent", "not-started"]) await keys.claim(claim(id));
    await createPostgresEventLog(database, "dead").append([event("changes"), event("idempotent", { data: { idempotent: true } })]);
    await age(database, "dead");
    expect(await sweep(database)).toBe(2);
    const again = createPostgresIdempotencyStore(database, { process: "alive" });
    expect(await again.claim(claim("changes"))).toMatchObject({
      kind: "answered",
      callId: "changes",
      result: { status: "unknown", error: { code: "call_lost" } },
    });
    expect(await again.claim(claim("idempotent"))).toEqual({ kind: "claimed" });
    expect(await again.claim(claim("not-started"))).toEqual({ kind: "claimed" });
  });

  it("are lost for those who follow them, once in the log, also where they may run again under another key", async () => {
    const keys = createPostgresIdempotencyStore(database, { process: "dead" });
    await keys.claim(claim("idempotent"));
    await keys.claim({ ...claim("idempotent"), key: "followed", isFollowed: true });
    await createPostgresEventLog(database, "dead").append([event("idempotent", { data: { idempotent: true } })]);
    await age(database, "dead");
    expect(await sweep(database)).toBe(1);
    expect(await keys.find("acme", "followed")).toMatchObject({ result: { status: "unknown", error: { code: "call_lost" } } });
    expect(await keys.claim(claim("idempotent"))).toEqual({ kind: "claimed" });
  });

  it("end as they did when that was kept under their key before the process died", async () => {
    const keys = createPostgresIdempotencyStore(database, { process: "dead" });
    await keys.claim(claim("c1"));
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    await keys.settle({ tenant: "acme", callId: "c1" }, done("c1"), 5);
    await age(database, "dead");
    await sweep(database);
    expect((await readAll())[1]).toMatchObject({ type: "tool.completed", data: { output: { paid: 5 }, durationMs: 7 } });
    expect(await keys.claim(claim("c1"))).toMatchObject({ kind: "answered", result: done("c1") });
  });

  it("never run again under a key whose call ended in the log alone", async () => {
    const keys = createPostgresIdempotencyStore(database, { process: "dead" });
    await keys.claim(claim("c1"));
    const log = createPostgresEventLog(database, "dead");
    await log.append([event("c1")]);
    await log.append([event("c1", { type: "tool.completed" })]);
    await age(database, "dead");
    expect(await sweep(database)).toBe(0);
    expect(await keys.claim(claim("c1"))).toMatchObject({ kind: "answered", result: { status: "unknown" } });
    expect((await readAll()).map(({ type }) => type)).toEqual(["tool.started", "tool.completed"]);
  });

  it("free a key whose approval was taken up and whose call did not start; the approval stays used", async () => {
    const approvals = createPostgresApprovalStore(database, { process: "dead" });
    const keys = createPostgresIdempotencyStore(database, { process: "alive" });
    const pending = { ...done("c1"), status: "pending", approval: { id: "apr_1", summary: "", reason: "", expiresAt: 9 } } as CallResult;
    await keys.claim(claim("c1"));
    await keys.settle({ tenant: "acme", callId: "c1" }, pending, 5);
    const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" };
    await approvals.create({ id: "apr_1", callId: "c1", principal, createdAt: 1, expiresAt: 9 } as never);
    await approvals.claim("acme", "apr_1", 5);
    await age(database, "dead");
    await sweep(database);
    expect(await keys.claim(claim("c1"))).toEqual({ kind: "claimed" });
    expect(await approvals.claim("acme", "apr_1", 6)).toBe(false);
  });

  it("are not ended a second time by a process that had only slept (R-AU-5)", async () => {
    const log = createPostgresEventLog(database, "dead");
    const keys = createPostgresIdempotencyStore(database, { process: "dead" });
    await keys.claim(claim("c1"));
    await log.append([event("c1"), event("c2")]);
    await age(database, "dead");
    await sweep(database);
    const late = [
      [event("c1", { type: "tool.completed", data: { output: 1 } })],
      [event("c3"), event("c2", { type: "tool.output_appended" }), event("c2", { type: "tool.completed" })],
    ];
    for (const events of late) await expect(log.append(events)).rejects.toMatchObject({ code: "call_lost" });
    expect((await readAll()).map(({ callId, type }) => `${callId} ${type}`)).toEqual([
      "c1 tool.started",
      "c2 tool.started",
      "c1 tool.failed",
      "c2 tool.failed",
      "c3 tool.started",
    ]);
    expect(await keys.settle({ tenant: "acme", callId: "c1" }, done("c1"), 5)).toMatchObject({ status: "unknown" });
    await register(database, "dead");
    expect(await sweep(database)).toBe(0);
    expect(await inFlight()).toEqual(["c3"]);
  });

  it.runIf(kind === "server")("stay with a process that shows life again while it is looked at", async () => {
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    await age(database, "dead");
    let isShown = false;
    const showLife: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!isShown && result.rows.some((row) => "silent" in row)) {
          isShown = true;
          await register(database, "dead");
        }
        return result;
      },
    };
    expect(await sweep({ ...database, owner: database.owner.withPlugin(showLife) })).toBe(0);
    expect(isShown).toBe(true);
    expect(await inFlight()).toEqual(["c1"]);
  });

  it("of a process that never registered get a lease, and then end", async () => {
    await createPostgresEventLog(database, "stranger").append([event("c1")]);
    expect(await sweep(database)).toBe(0);
    await age(database, "stranger");
    expect(await sweep(database)).toBe(1);
  });

  it("of a process that never registered free their keys, too, when they did not even start", async () => {
    const keys = createPostgresIdempotencyStore(database, { process: "stranger" });
    await keys.claim(claim("c1"));
    await keys.claim(claim("c2"));
    await keys.settle({ tenant: "acme", callId: "c2" }, done("c2"), 5);
    await sweep(database);
    expect(await keys.claim(claim("c1"))).toMatchObject({ kind: "running" });
    await age(database, "stranger");
    await sweep(database);
    expect(await keys.claim(claim("c1"))).toEqual({ kind: "claimed" });
    expect(await keys.claim(claim("c2"))).toMatchObject({ kind: "answered", result: done("c2") });
  });

  it("end also when the clock of the database was set back since", async () => {
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    await age(database, "dead", -3_600_000);
    expect(await sweep(database)).toBe(1);
  });

  it("are ended in more rounds than one when there are many", async () => {
    const log = createPostgresEventLog(database, "dead");
    await log.append(Array.from({ length: 450 }, (_, n) => event(`c${n}`, { session: `s${n % 3}` })));
    await age(database, "dead");
    expect(await sweep(database)).toBe(450);
    expect(await inFlight()).toEqual([]);
  });

  it("are left alone by a process that itself showed no life for a lease: it or everybody slept", async () => {
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    const registry = await createProcessRegistry(database, { process: "sleeper", role: "serve", host: "here", beatMs: 3_600_000 });
    await age(database, "dead");
    await age(database, "sleeper");
    await registry.look();
    expect(await inFlight()).toEqual(["c1"]);
    await registry.look();
    expect(await inFlight()).toEqual([]);
    await registry.close();
  });

  it.each([
    ["slept", 60_000],
    ["finds the clock of the database set back", -60_000],
  ])("are looked for by a process that %s from its next sign of life on", async (_, ms) => {
    await register(database, "looker");
    await age(database, "looker", ms);
    expect((await register(database, "looker")).isSteady).toBe(false);
    expect((await register(database, "looker")).isSteady).toBe(true);
  });

  it("are ended at once when their process signed off", async () => {
    const options = { role: "serve", host: "here", beatMs: 3_600_000 };
    const leaving = await createProcessRegistry(database, { ...options, process: "leaving" });
    await createPostgresEventLog(database, "leaving").append([event("c1")]);
    await leaving.close();
    const next = await createProcessRegistry(database, { ...options, process: "next" });
    expect((await readAll())[1]?.data.outcome).toBe("unknown");
    await next.close();
  });

  const onRecord = async () =>
    (await database.asSystem((query) => query.selectFrom("toolwright.processes").select("process").orderBy("process").execute())).map(
      ({ process }) => process,
    );
  const openFor = (process: string, brief: boolean) => createProcessRegistry(database, { process, role: "command", host: "here", brief });

  it("leave a process on record that signs off, until they ended; one with nothing in flight leaves nothing", async () => {
    const [idle, busy] = [await openFor("idle", false), await openFor("busy", false)];
    await createPostgresEventLog(database, "busy").append([event("c1")]);
    expect(await onRecord()).toEqual(["busy", "dead", "idle"]);
    await idle.close();
    await busy.close();
    expect(await onRecord()).toEqual(["busy", "dead"]);
    expect(await sweep(database)).toBe(1);
    expect(await onRecord()).toEqual(["dead"]);
  });

  it("are ended by a brief command, too, which leaves no record where nobody is lost", async () => {
    const quiet = await openFor("quiet", true);
    expect(Math.abs(quiet.clock.now() - Date.now())).toBeLessThan(60_000);
    expect(await onRecord()).toEqual(["dead"]);
    await quiet.look();
    expect(await onRecord()).toEqual(["dead", "quiet"]);
    await quiet.close();
    await createPostgresEventLog(database, "dead").append([event("c1")]);
    await age(database, "dead");
    const ending = await openFor("ending", true);
    expect((await readAll()).map(({ type }) => type)).toEqual(["tool.started", "tool.failed"]);
    await ending.close();
    expect(await onRecord()).toEqual([]);
  });

  it("show no tenant which processes there are", async () => {
    await expect(database.asTenant("acme", (query) => query.selectFrom("toolwright.processes").selectAll().execute())).rejects.toThrow();
  });
});

describe("several processes that look at once", () => {
  it("end each call once, and one of them does it", async () => {
    const test = await openTestDatabase("server");
    try {
      const others = [test.database, await test.reopen(), await test.reopen()];
      for (let round = 0; round < 20; round += 1) {
        const dead = `dead_${randomUUID()}`;
        await register(test.database, dead);
        await createPostgresEventLog(test.database, dead).append(
          Array.from({ length: 5 }, (_, n) => event(`c${round}_${n}`, { session: `s${round}` })),
        );
        await age(test.database, dead);
        const counts = await Promise.all(others.map(sweep));
        expect(counts.sort()).toEqual([0, 0, 5]);
        const stored = await createPostgresEventLog(test.database, "reader").read({ tenant: "acme", session: `s${round}` });
        expect(stored).toHaveLength(10);
      }
    } finally {
      await test.cleanup();
    }
  });

  it("race with the process itself for the ending: the log holds one, whoever wins", async () => {
    const test = await openTestDatabase("server");
    try {
      const other = await test.reopen();
      for (let round = 0; round < 60; round += 1) {
        const slow = `slow_${round}`;
        await register(test.database, slow);
        const log = createPostgresEventLog(test.database, slow);
        const session = `s${round}`;
        await log.append([event(`c${round}`, { session })]);
        await age(test.database, slow);
        const ending = log.append([event(`c${round}`, { session, type: "tool.completed" })]);
        const [told] = await Promise.allSettled([ending, sweep(other)]);
        const stored = await log.read({ tenant: "acme", session });
        expect(stored[1]?.event.type).toBe(told.status === "fulfilled" ? "tool.completed" : "tool.failed");
        expect(stored).toHaveLength(2);
        if (told.status === "rejected") expect(told.reason).toMatchObject({ code: "call_lost" });
        expect(findBrokenLink(stored)).toBeUndefined();
      }
    } finally {
      await test.cleanup();
    }
  });
});
