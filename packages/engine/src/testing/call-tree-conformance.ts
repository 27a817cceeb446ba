import assert from "node:assert/strict";
import type { CallResult } from "../contract/call.ts";
import type { Principal } from "../contract/principal.ts";
import type { ApprovalRecord, ApprovalStore } from "../ports/approval-store.ts";
import type { CallTree, StepRecord, SuspendedCall } from "../ports/call-tree.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp", onBehalfOf: "ann" };
const decision = { effect: "allow", layer: "tool", rule: "r", reason: "r", revision: "1", findings: [] } as const;

const makeCall = (callId: string, more: Partial<SuspendedCall> = {}): SuspendedCall => ({
  callId,
  principal,
  session: "s1",
  tool: "flow",
  definition: "h1",
  input: { odd: "a\u0000b" },
  decision,
  approved: false,
  waitsFor: [{ kind: "approval", id: "apr_1" }],
  ranMs: 0,
  createdAt: 1_000,
  expiresAt: 9_000,
  ...more,
});
const makeStep = (step: string, more: Partial<StepRecord> = {}): StepRecord => ({
  callId: `call_${step}`,
  parent: "root",
  step,
  tool: "pay",
  definition: "h2",
  input: "digest",
  hasBegun: true,
  ...more,
});
const done = (callId: string): CallResult => ({
  ...{ callId, tool: "pay", durationMs: 1, repairs: [], anomalies: [], artifacts: [] },
  ...{ status: "done", output: { odd: "a\u0000b" }, content: [], truncations: [], decision },
});
const makeApproval = (id: string): ApprovalRecord => ({
  id,
  callId: "call_ask",
  tool: "pay",
  principal,
  session: "s1",
  input: {},
  binding: { input: "i", definition: "d", policyRevision: "r1", secrets: "s", caller: "c", disclosed: "r", world: "w" },
  decision: { ...decision, effect: "ask" },
  summary: "Pay",
  createdAt: 1_000,
  expiresAt: 9_000,
});

const root = { tenant: "acme", callId: "root" };
const lease = (holder: string, until = 5_000) => ({ holder, until });
const held = (holder: string) => ({ ...root, holder });
const yes = { outcome: { kind: "approve" }, by: { kind: "user", id: "ann" }, at: 2_000 } as const;

interface OpenCallTree {
  readonly tree: CallTree;
  /** That of the same place. */
  readonly approvals: ApprovalStore;
  readonly reopen: () => Promise<CallTree>;
  readonly cleanup: () => Promise<void>;
}

/** What every call tree must do. `open` gives one on an empty place, beside the approval store that it goes by. */
export function callTreeConformance(open: () => Promise<OpenCallTree>): readonly ConformanceCase[] {
  const withTree = casesOn(open);
  /** Suspended by `p1`, which has let go of it. */
  const suspend = async ({ tree, approvals }: OpenCallTree, call = makeCall("root"), ids = ["apr_1"]) => {
    await tree.suspend(call, [makeStep("one", { result: done("call_one") }), makeStep("ask", { approval: "apr_1" })], lease("p1"));
    for (const id of ids) await approvals.create(makeApproval(id));
    assert.equal(await tree.hold({ tenant: "acme", callId: call.callId, holder: "p1" }, { until: 0, ranMs: 7 }), true);
  };
  return [
    withTree("gives back a call and its steps as they were kept, after it was opened anew", async (place) => {
      await suspend(place);
      const stored = await (await place.reopen()).get(root, 2_000);
      assert.deepEqual(stored?.call, { ...makeCall("root"), ranMs: 7 });
      assert.deepEqual(
        new Set(stored?.steps),
        new Set([makeStep("one", { result: done("call_one") }), makeStep("ask", { approval: "apr_1" })]),
      );
      assert.equal(stored?.isHeld, false);
    }),
    withTree("shows a tenant's call to no other tenant", async (place) => {
      await suspend(place);
      const foreign = { ...root, tenant: "other" };
      assert.equal(await place.tree.get(foreign, 2_000), undefined);
      assert.deepEqual(await place.tree.list("other", { tool: "flow", now: 2_000 }), []);
      assert.equal(await place.tree.take(foreign, lease("p2"), { now: 2_000, isWaiting: true }), undefined);
      assert.equal(await place.tree.finish({ ...foreign, holder: "p1" }, done("root"), 9_000), false);
    }),
    withTree("finds the calls that wait for an approval, also when it is answered, and first those that have ended", async (place) => {
      const found = async (tenant = "acme") =>
        (await place.tree.waitingFor(tenant, { kind: "approval", id: "apr_1" }, 2_000)).map(({ call }) => call.callId);
      await suspend(place);
      await suspend(place, makeCall("other", { createdAt: 1_001 }), []);
      assert.deepEqual(await found(), ["root", "other"]);
      assert.deepEqual(await found("other"), []);
      await place.approvals.answer("acme", "apr_1", yes);
      assert.deepEqual(await found(), ["root", "other"]);
      const second = { tenant: "acme", callId: "other" };
      assert.ok(await place.tree.take(second, lease("p2"), { now: 2_000 }));
      assert.equal(await place.tree.finish({ ...second, holder: "p2" }, done("other"), 9_000), true);
      assert.deepEqual(await found(), ["other", "root"]);
    }),
    withTree("gives a call to one of many who take it, and only when its approval is answered", async (place) => {
      await suspend(place);
      assert.equal(await place.tree.take(root, lease("p2"), { now: 2_000 }), undefined);
      assert.deepEqual(await place.tree.takeDue(lease("p2"), { now: 2_000, limit: 9 }), []);
      await place.approvals.answer("acme", "apr_1", yes);
      const other = await place.reopen();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, index) => (index % 2 ? other : place.tree).take(root, lease(`p${index}`), { now: 2_000 })),
      );
      assert.equal(taken.filter(Boolean).length, 1);
      assert.deepEqual(await place.tree.takeDue(lease("p9"), { now: 2_000, limit: 9 }), []);
    }),
    withTree("gives what is due to one of many who look, those that wait longest first", async (place) => {
      const later = makeCall("later", { createdAt: 2_000, waitsFor: [{ kind: "approval", id: "apr_2" }] });
      await suspend(place);
      await suspend(place, later, ["apr_2"]);
      for (const id of ["apr_1", "apr_2"]) await place.approvals.answer("acme", id, yes);
      const taken = await Promise.all([
        place.tree.takeDue(lease("p2"), { now: 2_000, limit: 1 }),
        (await place.reopen()).takeDue(lease("p3"), { now: 2_000, limit: 1 }),
      ]);
      assert.deepEqual(
        taken
          .flat()
          .map(({ call }) => call.callId)
          .toSorted(),
        ["later", "root"],
      );
    }),
    withTree("waits for all that it waits for, also where two end at once", async (place) => {
      const waitsFor = [
        { kind: "approval", id: "apr_1" },
        { kind: "approval", id: "apr_2" },
        { kind: "delivery", id: "d1" },
      ];
      await suspend(place, makeCall("root", { waitsFor }), ["apr_1", "apr_2"]);
      await place.tree.answer("acme", { kind: "delivery", id: "d1" });
      assert.equal(await place.tree.take(root, lease("p2"), { now: 2_000 }), undefined);
      await Promise.all(["apr_1", "apr_2"].map((id) => place.approvals.answer("acme", id, yes)));
      assert.equal((await place.tree.takeDue(lease("p2"), { now: 2_000, limit: 9 })).length, 1);
    }),
    withTree("does not wait for an approval that was answered before it began to wait, or at that moment", async ({ tree, approvals }) => {
      const ids = Array.from({ length: 8 }, (_, index) => `apr_${index}`);
      for (const id of ids) await approvals.create(makeApproval(id));
      await approvals.answer("acme", "apr_0", yes);
      await Promise.all(
        ids.flatMap((id) => {
          const call = makeCall(`call of ${id}`, { waitsFor: [{ kind: "approval", id }] });
          return [tree.suspend(call, [], lease("p1", 1_500)), id === "apr_0" ? undefined : approvals.answer("acme", id, yes)];
        }),
      );
      assert.equal((await tree.takeDue(lease("p2"), { now: 2_000, limit: 9 })).length, ids.length);
      await approvals.create(makeApproval("apr_a"));
      await approvals.answer("acme", "apr_a", yes);
      const waitsFor = ["apr_1", "apr_a"].map((id) => ({ kind: "approval", id }));
      await tree.hold({ tenant: "acme", callId: "call of apr_1", holder: "p2" }, { until: 0, waitsFor });
      assert.equal((await tree.takeDue(lease("p3"), { now: 2_000, limit: 9 })).length, 1);
    }),
    withTree("waits for nothing any more once it has expired", async (place) => {
      await suspend(place);
      assert.equal((await place.tree.takeDue(lease("p2", 20_000), { now: 9_000, limit: 9 })).length, 1);
    }),
    withTree("goes to another run when a lease is over, and then takes nothing from the first", async (place) => {
      await suspend(place);
      await place.approvals.answer("acme", "apr_1", yes);
      assert.ok(await place.tree.take(root, lease("p2", 3_000), { now: 2_000 }));
      assert.equal(await place.tree.hold(held("p2"), { until: 4_000 }), true);
      assert.equal(await place.tree.take(root, lease("p3"), { now: 3_500 }), undefined);
      assert.ok(await place.tree.take(root, lease("p3", 8_000), { now: 4_000 }));
      assert.equal(await place.tree.keep(held("p2"), makeStep("two")), false);
      assert.equal(await place.tree.hold(held("p2"), { until: 9_000 }), false);
      assert.equal(await place.tree.finish(held("p2"), done("root"), 9_000), false);
      assert.equal((await place.tree.get(root, 5_000))?.steps.length, 2);
    }),
    withTree("waits again for what its holder adds", async (place) => {
      await suspend(place);
      await place.approvals.answer("acme", "apr_1", yes);
      await place.tree.take(root, lease("p2"), { now: 2_000 });
      await place.approvals.create(makeApproval("apr_2"));
      const waitsFor = [
        { kind: "approval", id: "apr_1" },
        { kind: "approval", id: "apr_2" },
      ];
      await place.tree.hold(held("p2"), { until: 5_000, waitsFor, expiresAt: 9_500 });
      await place.tree.keep(held("p2"), makeStep("ask", { approval: "apr_1", result: done("call_ask") }));
      await place.tree.hold(held("p2"), { until: 0 });
      assert.equal(await place.tree.take(root, lease("p3"), { now: 2_500 }), undefined);
      const stored = await place.tree.get(root, 2_500);
      assert.deepEqual([stored?.call.waitsFor, stored?.call.expiresAt], [waitsFor, 9_500]);
      assert.equal(stored?.steps.find(({ step }) => step === "ask")?.result?.status, "done");
      await place.approvals.answer("acme", "apr_2", yes);
      assert.ok(await place.tree.take(root, lease("p3"), { now: 2_500 }));
    }),
    withTree("is taken while it waits by whoever ends it, and keeps how it ended without its steps", async (place) => {
      await suspend(place);
      assert.deepEqual(
        (await place.tree.list("acme", { tool: "flow", now: 2_000 })).map(({ call }) => call.callId),
        ["root"],
      );
      assert.ok(await place.tree.take(root, lease("p2"), { now: 2_000, isWaiting: true }));
      assert.equal(await place.tree.finish(held("p2"), done("root"), 90_000), true);
      const stored = await place.tree.get(root, 2_000);
      assert.deepEqual([stored?.result, stored?.steps], [done("root"), []]);
      assert.deepEqual(await place.tree.list("acme", { tool: "flow", now: 2_000 }), []);
      assert.equal(await place.tree.take(root, lease("p3"), { now: 8_000, isWaiting: true }), undefined);
      assert.deepEqual(await place.tree.takeDue(lease("p3"), { now: 9_500, limit: 9 }), []);
    }),
  ];
}
