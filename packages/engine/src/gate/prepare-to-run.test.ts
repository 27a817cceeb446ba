import { describe, expect, it, vi } from "vitest";
import { digest } from "../contract/digest.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import type { CallSpan, TracedCall } from "../ports/telemetry.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { principal, probe } from "../testing/probe-tool.ts";

const person = { ...principal, interactive: true };
const key = "s1:0:call_1";

function setUp(policy: EngineOptions["policy"], engine: EngineOptions = {}) {
  const events = createMemoryEventLog();
  const spy = vi.fn(() => ({ text: "ran" }));
  const made = createEngine({ tools: [probe(spy as never)], events, ...engine, ...(policy && { policy }) });
  const scope = made.scope(person, { session: "s1" });
  const types = async () => (await events.read({ tenant: "acme", session: "s1" })).map(({ event }) => event.type);
  const prepare = (input: unknown = { a: 1 }, again = false) => scope.prepare("probe", input, { key, again });
  const invoke = (input: unknown = { a: 1 }) => scope.invokeNamed("probe", input, { idempotencyKey: key });
  const approvalOf = async () => (await scope.approvals())[0]?.record.id ?? "";
  return { made, scope, spy, types, prepare, invoke, approvalOf };
}

const asks = { ask: ["probe"] };

describe("a call that is prepared", () => {
  it("is ready where the policy allows it; nothing runs, and the log holds nothing yet", async () => {
    const { prepare, spy, types, invoke } = setUp(undefined);
    expect(await prepare({ a: "1" })).toMatchObject({
      status: "ready",
      tool: "probe",
      decision: { effect: "allow" },
      repairs: [{ path: "/a" }],
    });
    expect(spy).not.toHaveBeenCalled();
    expect(await types()).toEqual([]);
    expect(await invoke()).toMatchObject({ status: "done" });
    // A call that is allowed leaves its key free.
    expect(await prepare({ a: 2 })).toMatchObject({ status: "ready" });
  });

  it("asks once however often it is prepared, and runs once after the yes", async () => {
    const { prepare, invoke, scope, spy, types, approvalOf } = setUp(asks);
    const first = await prepare();
    expect(await prepare()).toMatchObject({ status: "pending", replayed: true });
    expect(await scope.approvals()).toHaveLength(1);
    const id = await approvalOf();
    await scope.answer(id, { kind: "approve" });
    expect(await prepare()).toMatchObject({ status: "ready", approval: id, decision: { effect: "allow", rule: "approval.approve" } });
    expect(spy).not.toHaveBeenCalled();
    expect(await invoke()).toMatchObject({ status: "done", callId: "callId" in first ? first.callId : "" });
    expect(await invoke()).toMatchObject({ status: "done", replayed: true });
    expect(await prepare()).toMatchObject({ status: "done", replayed: true });
    expect(spy).toHaveBeenCalledOnce();
    const ofAnswer = ["admin.started", "admin.completed"];
    expect(await types()).toEqual(["tool.needs_approval", ...ofAnswer, "tool.approved", "tool.started", "tool.completed"]);
  });

  it("is denied in a person's words, as often as it is prepared", async () => {
    const { prepare, invoke, scope, spy, approvalOf } = setUp(asks);
    await prepare();
    await scope.answer(await approvalOf(), { kind: "deny", message: "Not today." });
    for (const look of [prepare, invoke, prepare]) expect(await look()).toMatchObject({ status: "denied", message: "Not today." });
    expect(spy).not.toHaveBeenCalled();
  });

  it("is denied by the policy, in the log once", async () => {
    const { prepare, types } = setUp({ deny: ["probe"] });
    expect(await prepare()).toMatchObject({ status: "denied" });
    expect(await types()).toEqual(["tool.denied"]);
  });

  it("with other input under the same key is refused", async () => {
    const { prepare, scope, spy, approvalOf } = setUp(asks);
    await prepare();
    await scope.answer(await approvalOf(), { kind: "approve" });
    expect(await prepare({ a: 2 })).toMatchObject({ status: "failed", error: { code: "idempotency_mismatch" } });
    expect(spy).not.toHaveBeenCalled();
  });

  it("says what is wrong with its input, and leaves the log to the call itself", async () => {
    const { prepare, types } = setUp(asks);
    expect(await prepare({ a: "one" })).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
    expect(await types()).toEqual([]);
  });

  it("again, with a key that nobody asked with, is refused, and nobody is asked", async () => {
    const { prepare, scope } = setUp(asks);
    expect(await prepare({ a: 1 }, true)).toMatchObject({ status: "failed", error: { code: "approval_not_found" } });
    expect(await scope.approvals()).toEqual([]);
    await prepare();
    expect(await prepare({ a: 1 }, true)).toMatchObject({ status: "pending" });
  });

  it("is found for as long as its approval can be answered", async () => {
    const clock = createManualClock();
    const { prepare, scope, approvalOf } = setUp(asks, { clock, approvalTtlMs: 7 * 24 * 3_600_000 });
    await prepare();
    await clock.advance(6 * 24 * 3_600_000);
    await scope.answer(await approvalOf(), { kind: "approve" });
    expect(await prepare({ a: 1 }, true)).toMatchObject({ status: "ready" });
  });

  it("uses up no grant that lets it run", async () => {
    const { prepare, invoke, scope } = setUp(asks);
    await scope.grant({ tool: "probe", allows: [{ kind: "input", digest: digest({ a: 1 }) }], scope: "session", maxUses: 1 });
    expect(await prepare()).toMatchObject({ status: "ready", decision: { rule: expect.stringMatching(/^grant:/) } });
    expect(await invoke()).toMatchObject({ status: "done" });
    expect(await scope.invokeNamed("probe", { a: 1 })).toMatchObject({ status: "pending" });
  });

  it("is traced as a call only where it asks or ends", async () => {
    const spans: string[] = [];
    const startCall = ({ name }: TracedCall): CallSpan => ({
      context: { traceparent: "00-1-1-01" },
      run: (handler) => handler(),
      link: () => spans.push(`${name} is linked`),
      end: ({ result }) => spans.push(`${name} is ${result.status}`),
    });
    const { prepare, invoke, scope, approvalOf } = setUp(asks, { telemetry: { startCall } });
    await prepare({ a: "one" });
    for (let times = 0; times < 3; times += 1) await prepare();
    await prepare({ a: 2 });
    await scope.answer(await approvalOf(), { kind: "approve" });
    await prepare({ a: 1 }, true);
    expect(spans).toEqual(["probe is pending", "probe is failed"]);
    await invoke();
    expect(spans.slice(2)).toContain("probe is linked");
    const allowed = setUp(undefined, { telemetry: { startCall } });
    spans.length = 0;
    await allowed.prepare();
    expect(spans).toEqual([]);
  });
});
