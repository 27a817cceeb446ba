import type { CallResult } from "@toolwright/engine";
import type { StepRecord, SuspendedCall } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Area } from "./area.ts";
import { principalOf, type World } from "./open-world.ts";

const at = Date.UTC(2026, 0, 1);
const soon = () => Date.now() + 3_600_000;
const decision = { effect: "allow", layer: "tool", rule: "r", reason: "r", revision: "r", findings: [] } as const;

const callOf = (tenant: string, callId: string): SuspendedCall => ({
  ...{ callId, principal: principalOf(tenant), session: "s1", tool: "pay", definition: "d", input: { euros: 5 } },
  ...{ decision, approved: false, waitsFor: [{ kind: "message", id: callId }], ranMs: 0, createdAt: at, expiresAt: soon() },
});

const stepOf = (callId: string, step: string): StepRecord => ({
  ...{ callId: `step_${step}`, parent: callId, step, tool: "pay", definition: "d", input: "i", hasBegun: true },
});

const endingOf = (callId: string): CallResult => ({
  ...{ callId, tool: "pay", durationMs: 1, repairs: [], anomalies: [], artifacts: [] },
  ...{ status: "done", output: { euros: 5 }, content: [], truncations: [], decision },
});

/** Suspended by a run that has let go of it. */
const suspend = ({ store }: World, tenant: string, callId: string) =>
  store.callTree.suspend(callOf(tenant, callId), [stepOf(callId, "first")], { holder: "p1", until: 0 });

/** With what no function of the tree tells: from when on it waits for nothing. */
async function look({ store }: World, tenant: string, callId: string) {
  const due = await store.database.asTenant(tenant, (query) =>
    sql`select due_at::text from toolwright.suspended_calls where call_id = ${callId}`.execute(query),
  );
  return [await store.callTree.get({ tenant, callId }, at), due.rows];
}

const suspended: Area = {
  make: suspend,
  look,
  byId: {
    "store.callTree.suspend": suspend,
    "store.callTree.get": ({ store }, tenant, callId) => store.callTree.get({ tenant, callId }, at),
    "store.callTree.keep": ({ store }, tenant, callId) => store.callTree.keep({ tenant, callId, holder: "p1" }, stepOf(callId, "second")),
    "store.callTree.hold": ({ store }, tenant, callId) => store.callTree.hold({ tenant, callId, holder: "p1" }, { until: 0, ranMs: 7 }),
    "store.callTree.take": ({ store }, tenant, callId) =>
      store.callTree.take({ tenant, callId }, { holder: "p2", until: at + 9 }, { now: at, isWaiting: true }),
    "store.callTree.waitingFor": ({ store }, tenant, id) => store.callTree.waitingFor(tenant, { kind: "message", id }, at),
    "store.callTree.answer": ({ store }, tenant, id) => store.callTree.answer(tenant, { kind: "message", id }),
    "store.callTree.finish": ({ store }, tenant, callId) =>
      store.callTree.finish({ tenant, callId, holder: "p1" }, endingOf(callId), soon()),
    "scope.cancel": ({ scopeOf }, tenant, callId) => scopeOf(tenant).cancel(callId),
  },
  lists: {
    "store.callTree.list": ({ store }, tenant) => store.callTree.list(tenant, { tool: "pay", now: at }),
  },
};

export const suspendedAreas: readonly Area[] = [suspended];
