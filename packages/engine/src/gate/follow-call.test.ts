import { describe, expect, it, vi } from "vitest";
import type { CallResult } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryApprovalStore } from "../memory/approval-store.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryIdempotencyStore } from "../memory/idempotency-store.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { principal, probe } from "../testing/probe-tool.ts";

const person = { ...principal, interactive: true };
const key = "task_1";

/** Each `open` is another process on the same store. */
function setUp(more: Parameters<typeof probe>[1] = {}, run: (...parameters: never[]) => unknown = () => ({ text: "ran" })) {
  const spy = vi.fn(run);
  const events = createMemoryEventLog();
  const [approvals, idempotency, clock] = [createMemoryApprovalStore(), createMemoryIdempotencyStore(), createManualClock(1_000)];
  const open = (who: Principal = person) =>
    createEngine({ tools: [probe(spy as never, more)], approvals, idempotency, clock, events }).scope(who, { session: "s1" });
  const types = async () => (await events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event.type);
  return { open, spy, clock, types };
}

const ask = { approval: "always_ask" } as const;
const approve = { kind: "approve" } as const;

/** A call that waits for a person, followed under `key`. */
async function followed(scope: ReturnType<ReturnType<typeof setUp>["open"]>) {
  const ending = await scope.invokeNamed("probe", {}, { takeUpWaiting: true });
  if (ending.status !== "pending") throw new Error(`It does not wait: ${ending.status}.`);
  await scope.follow(key, { callId: ending.callId, ending });
  return ending;
}

/** Without what an answer writes of itself. */
const ofCalls = (type: string) => !type.startsWith("admin.");

describe("a call that its caller follows", () => {
  it("is found while it runs and when it has ended, by its caller alone", async () => {
    const { promise, resolve } = Promise.withResolvers<{ text: string }>();
    const { open, clock } = setUp({}, () => promise);
    const scope = open();
    const started = Promise.withResolvers<string>();
    const ending = scope.invokeNamed("probe", {}, { onStart: started.resolve });
    const callId = await started.promise;
    const { kept } = await scope.follow(key, { callId, ending });
    expect(await scope.followed(key)).toMatchObject({ callId, claimedAt: 1_000, changedAt: 1_000 });
    await clock.advance(500);
    resolve({ text: "late" });
    await kept;
    expect(await open().followed(key)).toMatchObject({ changedAt: 1_500, result: { status: "done", output: { text: "late" } } });
    for (const other of [{ tenant: "other" }, { actor: { kind: "user", id: "bob" } }, { agent: "helper" }] as const) {
      expect(await open({ ...person, ...other }).followed(key)).toBeUndefined();
    }
    expect(await scope.followed("task_2")).toBeUndefined();
  });

  it("waits for a person across processes, runs once when it was approved, and keeps how it ended", async () => {
    const { open, spy } = setUp(ask);
    const { approval } = await followed(open());
    const second = open();
    expect(await second.followed(key)).toMatchObject({ result: { status: "pending" }, approval: { record: { id: approval.id } } });
    await second.answer(approval.id, approve);
    const waiting = await second.followed(key);
    if (!waiting) throw new Error("It was not found.");
    const both = await Promise.all([second.resumeFollowed(waiting), open().resumeFollowed(waiting)]);
    expect(both.map(({ status }) => status)).toContain("done");
    expect(spy).toHaveBeenCalledOnce();
    expect(await open().followed(key)).toMatchObject({ result: { status: "done" } });
  });

  it.each([
    ["denied", (at: Awaited<ReturnType<typeof followed>>) => ({ id: at.approval.id, ms: 0 }), { status: "denied" }],
    ["expired", () => ({ id: undefined, ms: 25 * 3_600_000 }), { status: "failed", error: { code: "approval_expired" } }],
  ] as const)("keeps that its approval was %s, and says so once in the log", async (_, how, ending) => {
    const { open, clock, types } = setUp(ask);
    const scope = open();
    const { id, ms } = how(await followed(scope));
    if (id) await scope.answer(id, { kind: "deny" });
    await clock.advance(ms);
    for (let look = 0; look < 2; look++) {
      const found = await scope.followed(key);
      if (found?.result?.status === "pending") await scope.resumeFollowed(found);
    }
    expect((await scope.followed(key))?.result).toMatchObject(ending);
    expect((await types()).filter(ofCalls).slice(1)).toHaveLength(1);
  });

  it("that repeats a waiting one follows that one: both end as it did", async () => {
    const { open } = setUp(ask);
    const scope = open();
    const first = await followed(scope);
    const again = await scope.invokeNamed("probe", {}, { takeUpWaiting: true });
    await scope.follow("task_2", { callId: again.callId, ending: again });
    await scope.answer(first.approval.id, approve);
    const waiting = await scope.followed("task_2");
    if (waiting) await scope.resumeFollowed(waiting);
    for (const each of [key, "task_2"])
      expect(await scope.followed(each)).toMatchObject({ callId: first.callId, result: { status: "done" } });
  });

  it("is withdrawn while it waits: its approval is denied, nothing runs, and it is cancelled for good", async () => {
    const { open, spy, types } = setUp(ask);
    const scope = open();
    const { approval } = await followed(scope);
    await scope.withdraw(key, "No longer needed.");
    expect(await scope.followed(key)).toMatchObject({ result: { status: "cancelled", reason: "No longer needed." } });
    expect(await scope.approvals()).toEqual([]);
    await expect(scope.answer(approval.id, approve)).rejects.toMatchObject({ code: "approval_already_answered" });
    expect((await scope.resume(approval.id)).status).toBe("denied");
    await scope.withdraw(key, "Twice.");
    expect(spy).not.toHaveBeenCalled();
    expect((await types()).filter(ofCalls)).toEqual(["tool.needs_approval", "tool.cancelled"]);
    await expect(scope.withdraw("task_2", "No.")).rejects.toMatchObject({ code: "call_not_found" });
  });

  it("is forgotten a day after its approval could be answered, not before", async () => {
    const { open, clock } = setUp();
    const scope = open();
    const ending: CallResult = await scope.invokeNamed("probe", {});
    await scope.follow(key, { callId: ending.callId, ending });
    await clock.advance(48 * 3_600_000 - 1);
    expect(await scope.followed(key)).toBeDefined();
    await clock.advance(1);
    expect(await scope.followed(key)).toBeUndefined();
  });
});
