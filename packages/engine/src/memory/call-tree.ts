import type { CallResult } from "../contract/call.ts";
import type { ApprovalStore } from "../ports/approval-store.ts";
import type { CallRef, CallTree, HeldCall, StepRecord, StoredCall, SuspendedCall, Wait } from "../ports/call-tree.ts";

interface Row {
  call: SuspendedCall;
  readonly steps: Map<string, StepRecord>;
  /** Waits that are no approvals and are over. */
  readonly over: Set<string>;
  holder: string;
  heldUntil: number;
  result?: CallResult;
  keepUntil?: number;
}

const keyOf = ({ tenant, callId }: CallRef) => JSON.stringify([tenant, callId]);
const waitKey = ({ kind, id }: Wait) => JSON.stringify([kind, id]);

/** Keeps suspended calls in memory: lost with the process. `approvals` says which of their approvals are over. */
export function createMemoryCallTree({ approvals }: { readonly approvals: ApprovalStore }): CallTree {
  const rows = new Map<string, Row>();
  const heldBy = (held: HeldCall) => {
    const row = rows.get(keyOf(held));
    return row && !row.result && row.holder === held.holder ? row : undefined;
  };
  const isDue = async ({ call, over }: Row, now: number) => {
    if (call.expiresAt <= now) return true;
    for (const wait of call.waitsFor) if (!(await isOver(call, wait, { over, now, approvals }))) return false;
    return true;
  };
  const hold = (row: Row, { holder, until }: { holder: string; until: number }) => {
    row.holder = holder;
    row.heldUntil = until;
    return toStored(row, 0);
  };
  const find = async (tenant: string, now: number, isWanted: (row: Row) => boolean) => {
    const found = [...rows.values()].filter((row) => row.call.principal.tenant === tenant && isWanted(row));
    return found.map((row) => toStored(row, now));
  };
  const forget = (now: number) => {
    for (const [key, { keepUntil = Number.POSITIVE_INFINITY }] of rows) if (keepUntil <= now) rows.delete(key);
  };
  return {
    suspend(call, steps, { holder, until }) {
      const row: Row = { call: copy(call), steps: new Map(), over: new Set(), holder, heldUntil: until };
      for (const step of steps) row.steps.set(stepKey(step), copy(step));
      rows.set(keyOf({ tenant: call.principal.tenant, callId: call.callId }), row);
      return Promise.resolve();
    },
    keep(held, step) {
      const row = heldBy(held);
      row?.steps.set(stepKey(step), copy(step));
      return Promise.resolve(row !== undefined);
    },
    hold(held, { until, ...change }) {
      const row = heldBy(held);
      if (row) Object.assign(row, { call: { ...row.call, ...change }, heldUntil: until });
      return Promise.resolve(row !== undefined);
    },
    async take(ref, lease, { now, isWaiting = false }) {
      const row = rows.get(keyOf(ref));
      if (!row || row.result || row.heldUntil > now || !(isWaiting || (await isDue(row, now)))) return undefined;
      // Another one may have come in between.
      return row.result || row.heldUntil > now ? undefined : hold(row, lease);
    },
    async takeDue(lease, { now, limit }) {
      forget(now);
      const taken: StoredCall[] = [];
      for (const row of rows.values()) {
        if (taken.length >= limit) break;
        if (row.result || row.heldUntil > now || !(await isDue(row, now)) || row.heldUntil > now) continue;
        taken.push(hold(row, lease));
      }
      return taken;
    },
    get(ref, now) {
      const row = rows.get(keyOf(ref));
      return Promise.resolve(row && toStored(row, now));
    },
    list: (tenant, { tool, now }) => find(tenant, now, ({ call, result }) => !result && call.tool === tool),
    waitingFor: async (tenant, wait, now) =>
      (await find(tenant, now, ({ call }) => call.waitsFor.some((one) => waitKey(one) === waitKey(wait)))).sort(endedFirst),
    answer(tenant, wait) {
      for (const { call, over } of rows.values())
        if (call.principal.tenant === tenant && call.waitsFor.some((one) => waitKey(one) === waitKey(wait))) over.add(waitKey(wait));
      return Promise.resolve();
    },
    finish(held, result, keepUntil) {
      const row = heldBy(held);
      if (row) {
        row.result = copy(result);
        row.keepUntil = keepUntil;
        row.steps.clear();
      }
      return Promise.resolve(row !== undefined);
    },
  };
}

const endedFirst = (one: StoredCall, other: StoredCall) => Number(!one.result) - Number(!other.result);

interface Looking {
  readonly over: ReadonlySet<string>;
  readonly now: number;
  readonly approvals: ApprovalStore;
}

async function isOver({ principal }: SuspendedCall, wait: Wait, { over, now, approvals }: Looking): Promise<boolean> {
  if (wait.kind !== "approval") return over.has(waitKey(wait));
  const stored = await approvals.get(principal.tenant, wait.id);
  return !stored || stored.answer !== undefined || stored.record.expiresAt <= now;
}

const stepKey = ({ parent, step }: StepRecord) => JSON.stringify([parent, step]);

/** As a store that writes to disk would give it back. */
const copy = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value;

function toStored({ call, steps, result, heldUntil }: Row, now: number): StoredCall {
  return { call, steps: [...steps.values()], ...(result && { result }), isHeld: heldUntil > now };
}
