import { describe, expect, it, vi } from "vitest";
import { digest } from "../contract/digest.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryIdempotencyStore } from "../memory/idempotency-store.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { principal, probe } from "../testing/probe-tool.ts";
import { sharedSessions } from "../testing/shared-sessions.ts";
import { idempotencyKeyOf } from "./run-once.ts";

const person = { ...principal, interactive: true };
const key = { idempotencyKey: "order-7" };

const logs = [
  ["in one write with events", (keys: IdempotencyStore) => createMemoryEventLog({ keys })],
  ["in writes of its own", () => createMemoryEventLog()],
] as const;

type Run = (...parameters: never[]) => unknown;
type More = { readonly more?: object; readonly engine?: EngineOptions };

const setUpWith =
  (openLog: (typeof logs)[number][1]) =>
  (run: Run, { more = {}, engine = {} }: More = {}) => {
    const idempotency = engine.idempotency ?? createMemoryIdempotencyStore();
    const events = openLog(idempotency);
    const spy = vi.fn(run);
    const made = createEngine({ tools: [probe(spy as never, more)], events, idempotency, sessions: sharedSessions(), ...engine });
    const scope = made.scope(person, { session: "s1" });
    const types = async () => (await events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event.type);
    return { made, scope, spy, types };
  };

describe.each(logs)("a call with an idempotency key (R-AU-4), kept %s", (_, openLog) => {
  const setUp = setUpWith(openLog);

  it("runs once, and a second one is answered as the first was, marked as replayed", async () => {
    let count = 0;
    const { scope, spy, types } = setUp(() => ({ text: String(++count) }));
    const first = await scope.invokeNamed("probe", { a: 1 }, key);
    const second = await scope.invokeNamed("probe", { a: "1" }, key);
    expect(first).toMatchObject({ status: "done", output: { text: "1" } });
    expect(first.replayed).toBeUndefined();
    expect(second).toEqual({ ...first, replayed: true });
    expect(spy).toHaveBeenCalledOnce();
    expect(await types()).toEqual(["tool.started", "tool.completed"]);
  });

  it("of 100 at once runs one; the others wait for it and are answered as it was", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { scope, spy, types } = setUp(async () => {
      await promise;
      return { text: "" };
    });
    const running = Array.from({ length: 100 }, () => scope.invokeNamed("probe", {}, key));
    const early = vi.fn();
    void Promise.race(running).then(early);
    await vi.waitUntil(() => spy.mock.calls.length > 0);
    expect(early).not.toHaveBeenCalled();
    resolve();
    const [first, ...others] = await Promise.all(running);
    expect(first?.status).toBe("done");
    for (const other of others) expect(other).toEqual({ ...first, replayed: true });
    expect(spy).toHaveBeenCalledOnce();
    expect(await types()).toEqual(["tool.started", "tool.completed"]);
  });

  it.each([
    ["other input", "probe", { a: 2 }],
    ["another tool", "other", { a: 1 }],
  ])("with %s is refused", async (_, name, input) => {
    const { made, scope, spy } = setUp(() => ({ text: "" }));
    made.register([probe(spy as never, { name: "other" })]);
    const first = await scope.invokeNamed("probe", { a: 1 }, key);
    const second = await scope.invokeNamed(name, input, key);
    expect(second).toMatchObject({ status: "failed", error: { code: "idempotency_mismatch", details: { callId: first.callId } } });
    expect(spy).toHaveBeenCalledOnce();
  });

  it.each([
    ["tenant", { tenant: "other" }],
    ["person", { actor: { kind: "user", id: "bob" } }],
    ["agent", { agent: "helper" }],
    ["delegation", { delegated: { from: principal } }],
  ] as const)("is of its caller alone: another %s runs", async (_, more) => {
    const { made, scope, spy } = setUp(() => ({ text: "" }));
    await scope.invokeNamed("probe", {}, key);
    const other = await made.scope({ ...person, ...more }, { session: "s1" }).invokeNamed("probe", {}, key);
    expect(other.replayed).toBeUndefined();
    expect(spy).toHaveBeenCalledTimes(2);
  });

  it("replays a failure of the tool as well", async () => {
    const { scope, spy } = setUp(() => {
      throw new Error("no");
    });
    const first = await scope.invokeNamed("probe", {}, key);
    expect(await scope.invokeNamed("probe", {}, key)).toEqual({ ...first, replayed: true });
    expect(spy).toHaveBeenCalledOnce();
  });

  it.each([
    ["denied", { policy: [{ tier: "platform", document: { ...defaultPolicy, tools: { deny: ["probe"] } } }] }, {}],
    ["not logged", { events: { append: () => Promise.reject(new Error("disk full")), read: async () => [] } }, {}],
    ["not understood", {}, { a: "x" }],
  ] as const)("leaves the key free when it is %s", async (_, engine, input) => {
    const idempotency = createMemoryIdempotencyStore();
    const { scope, spy } = setUp(() => ({ text: "" }), { engine: { ...engine, idempotency } as unknown as EngineOptions });
    expect((await scope.invokeNamed("probe", input, key)).status).not.toBe("done");
    expect(spy).not.toHaveBeenCalled();
    const again = setUp(() => ({ text: "" }), { engine: { idempotency } });
    expect(await again.scope.invokeNamed("probe", {}, key)).toMatchObject({ status: "done" });
  });

  it("does not run when the store of keys cannot be asked", async () => {
    const idempotency = { ...createMemoryIdempotencyStore(), claim: () => Promise.reject(new Error("away")) };
    const { scope, spy } = setUp(() => ({ text: "" }), { engine: { idempotency } });
    expect((await scope.invokeNamed("probe", {}, key)).status).toBe("failed");
    expect(spy).not.toHaveBeenCalled();
  });

  it("is forgotten after 24 hours", async () => {
    const clock = createManualClock();
    const { scope, spy } = setUp(() => ({ text: "" }), { engine: { clock } });
    await scope.invokeNamed("probe", {}, key);
    await clock.advance(24 * 3_600_000 - 1);
    expect((await scope.invokeNamed("probe", {}, key)).replayed).toBe(true);
    await clock.advance(1);
    expect((await scope.invokeNamed("probe", {}, key)).replayed).toBeUndefined();
    expect(spy).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["empty", ""],
    ["too long", "k".repeat(256)],
  ])("is refused when the key is %s", async (_, idempotencyKey) => {
    const { scope, spy } = setUp(() => ({ text: "" }));
    expect(await scope.invokeNamed("probe", {}, { idempotencyKey })).toMatchObject({ error: { code: "invalid_input" } });
    expect(spy).not.toHaveBeenCalled();
  });

  it("stores nothing of a secret", async () => {
    const inner = createMemoryIdempotencyStore();
    const stored: string[] = [];
    const settle: typeof inner.settle = (owner, result, now) => {
      stored.push(JSON.stringify(result));
      return inner.settle(owner, result, now);
    };
    const secrets = { has: () => true, generation: () => "1", get: async () => "canary-value", noteUse: () => {} };
    const run = async (_: never, ctx: { secrets: { get(name: string): Promise<string> } }) => ({ text: await ctx.secrets.get("TOKEN") });
    const { scope } = setUp(run as never, {
      more: { effects: { secrets: ["TOKEN"] } },
      engine: { secrets, idempotency: { ...inner, settle } } as unknown as EngineOptions,
    });
    expect((await scope.invokeNamed("probe", {}, key)).status).toBe("done");
    expect(stored).toHaveLength(1);
    expect(stored[0]).not.toContain("canary-value");
  });
});

describe.each(logs)("a call with an idempotency key that waits for a person, kept %s", (_, openLog) => {
  const setUp = setUpWith(openLog);

  const asking = { more: { approval: "always_ask" } };

  it("waits on one approval however often it is made, and runs once when it is given", async () => {
    const { scope, spy } = setUp(() => ({ text: "paid" }), asking);
    const first = await scope.invokeNamed("probe", {}, key);
    const again = await scope.invokeNamed("probe", {}, key);
    if (first.status !== "pending") throw new Error("expected pending");
    expect(again).toEqual({ ...first, replayed: true });
    expect(await scope.approvals()).toHaveLength(1);
    await scope.answer(first.approval.id, { kind: "approve" });
    const ran = await Promise.all([scope.invokeNamed("probe", {}, key), scope.invokeNamed("probe", {}, key)]);
    expect(spy).toHaveBeenCalledOnce();
    for (const { callId } of ran.filter(({ status }) => status === "done")) expect(callId).toBe(first.callId);
    expect(await scope.invokeNamed("probe", {}, key)).toMatchObject({ status: "done", callId: first.callId, replayed: true });
  });

  it("is answered with what the approved run came to, whichever door resumed it", async () => {
    const { scope, spy } = setUp(() => ({ text: "paid" }), asking);
    const first = await scope.invokeNamed("probe", {}, key);
    if (first.status !== "pending") throw new Error("expected pending");
    await scope.answer(first.approval.id, { kind: "approve" });
    const resumed = await scope.resume(first.approval.id);
    expect(await scope.invokeNamed("probe", {}, key)).toEqual({ ...resumed, replayed: true });
    expect(spy).toHaveBeenCalledOnce();
  });

  it("stays denied under its key when the person said no", async () => {
    const { scope, spy } = setUp(() => ({ text: "" }), asking);
    const first = await scope.invokeNamed("probe", {}, key);
    if (first.status !== "pending") throw new Error("expected pending");
    await scope.answer(first.approval.id, { kind: "deny", message: "Not today." });
    for (let times = 0; times < 2; times += 1)
      expect(await scope.invokeNamed("probe", {}, key)).toMatchObject({ status: "denied", message: "Not today." });
    expect(spy).not.toHaveBeenCalled();
  });

  it("asks anew when nobody answered in time", async () => {
    const clock = createManualClock();
    const { scope } = setUp(() => ({ text: "" }), { ...asking, engine: { clock, approvalTtlMs: 1_000 } });
    const first = await scope.invokeNamed("probe", {}, key);
    await clock.advance(1_000);
    expect(await scope.invokeNamed("probe", {}, key)).toMatchObject({ error: { code: "approval_expired" } });
    const again = await scope.invokeNamed("probe", {}, key);
    expect(again.status).toBe("pending");
    expect(again.callId).not.toBe(first.callId);
  });
});

describe.each(logs)("a call whose key is that of a call that runs, kept %s", (_, openLog) => {
  const setUp = setUpWith(openLog);

  const setUpRunning = (more: object = {}) => {
    const clock = createManualClock();
    const { promise, resolve } = Promise.withResolvers<void>();
    const idempotency = createMemoryIdempotencyStore();
    const made = setUp(
      async () => {
        await promise;
        return { text: "first" };
      },
      { more, engine: { clock, idempotency } },
    );
    return { ...made, clock, idempotency, resolve, first: made.scope.invokeNamed("probe", {}, key) };
  };

  it("waits no longer than its own time limit, and says which call it waited for", async () => {
    const { scope, clock, spy, first, resolve } = setUpRunning({ limits: { timeoutMs: 60_000 } });
    const told = vi.fn();
    await clock.advance(20_000);
    const second = scope.invokeNamed("probe", {}, key).then(told);
    await clock.advance(39_000);
    expect(told).not.toHaveBeenCalled();
    resolve();
    await clock.advance(1_000);
    await second;
    expect(told).toHaveBeenCalledWith({ ...(await first), replayed: true });
    expect(spy).toHaveBeenCalledOnce();
  });

  it("is told that the first one has not ended when its own time is over, and cancels nothing", async () => {
    const idempotency = createMemoryIdempotencyStore();
    const elsewhere = {
      ...idempotency,
      claim: async () => ({ kind: "running", fingerprint: digest(["probe", {}]), callId: "c1" }) as const,
    };
    const clock = createManualClock();
    const { scope, spy } = setUp(() => ({ text: "" }), {
      more: { limits: { timeoutMs: 5_000 } },
      engine: { clock, idempotency: elsewhere },
    });
    const call = scope.invokeNamed("probe", {}, key);
    await clock.advance(5_000);
    expect(await call).toMatchObject({ status: "failed", error: { code: "idempotency_in_progress", details: { callId: "c1" } } });
    expect(spy).not.toHaveBeenCalled();
  });

  it("stops waiting when its caller cancels; the first one goes on", async () => {
    const { scope, clock, first, resolve } = setUpRunning();
    const caller = new AbortController();
    await clock.advance(1);
    const second = scope.invokeNamed("probe", {}, { ...key, signal: caller.signal });
    await clock.advance(100);
    caller.abort();
    expect(await second).toMatchObject({ status: "cancelled" });
    resolve();
    expect(await first).toMatchObject({ status: "done" });
  });

  it("runs itself where the first one left the key free", async () => {
    const idempotency = createMemoryIdempotencyStore();
    const clock = createManualClock();
    const { scope, spy } = setUp(() => ({ text: "" }), { engine: { clock, idempotency } });
    const claim = { tenant: "acme", key: idempotencyKeyOf(person, key.idempotencyKey), fingerprint: digest(["probe", {}]), callId: "c1" };
    await idempotency.claim({ ...claim, at: clock.now(), expiresAt: clock.now() + 1_000 });
    const second = scope.invokeNamed("probe", {}, key);
    await clock.advance(50);
    expect(spy).not.toHaveBeenCalled();
    await idempotency.release({ tenant: "acme", callId: "c1" });
    await clock.advance(500);
    expect(await second).toMatchObject({ status: "done" });
  });

  it("with other input is refused at once", async () => {
    const { scope, clock, first, resolve } = setUpRunning();
    await clock.advance(1);
    expect(await scope.invokeNamed("probe", { a: 2 }, key)).toMatchObject({ error: { code: "idempotency_mismatch" } });
    resolve();
    await first;
  });
});

it("gives the ending that counts when the call was taken for lost meanwhile", async () => {
  const lost = { status: "unknown", anomalies: [], repairs: [], error: { code: "call_lost", message: "Lost." } };
  const idempotency = { ...createMemoryIdempotencyStore(), settle: () => Promise.resolve(lost as never) };
  const { scope } = setUpWith(logs[1][1])(() => ({ text: "" }), { engine: { idempotency } });
  expect(await scope.invokeNamed("probe", {}, key)).toEqual(lost);
});
