import assert from "node:assert/strict";
import type { CallResult } from "../contract/call.ts";
import { findBrokenLink } from "../contract/event-chain.ts";
import { type EventLog, KeyTaken } from "../ports/event-log.ts";
import type { IdempotencyClaim, IdempotencyStore } from "../ports/idempotency-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";
import { makeEvent } from "./make-events.ts";

type KeyedLog = EventLog & { readonly keys: IdempotencyStore };

const claimOf = (callId: string, more: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  ...{ tenant: "acme", key: "k1", fingerprint: "f1", callId, at: 1_000, expiresAt: 2_000 },
  ...more,
});

const started = (callId: string) => makeEvent({ session: "s1", callId });

const cancelled = (callId: string, reason = "Enough."): CallResult => ({
  ...{ callId, tool: "add", durationMs: 1, repairs: [], anomalies: [], artifacts: [] },
  ...{ status: "cancelled", reason },
});

const begin = (log: EventLog, callId: string, more?: Partial<IdempotencyClaim>) =>
  log.append([started(callId)], { key: { claim: claimOf(callId, more) } });

const end = (log: EventLog, callId: string, result = cancelled(callId)) =>
  log.append([makeEvent({ session: "s1", callId, type: "tool.cancelled" })], {
    key: { settlement: { owner: { tenant: "acme", callId }, result, at: 5_000 } },
  });

/** Calls in the order of their events, of a chain that is whole. */
async function readCalls(log: EventLog): Promise<readonly (string | undefined)[]> {
  const stored = await log.read({ tenant: "acme", session: "s1" });
  assert.equal(findBrokenLink(stored), undefined);
  return stored.map(({ event }) => event.callId);
}

/** What every log with `keys` must do. `open` gives one on an empty place of its own. */
export function keyedLogConformance(
  open: () => Promise<{ readonly log: KeyedLog; readonly cleanup: () => Promise<void> }>,
): readonly ConformanceCase[] {
  const withLog = casesOn(open);
  return [
    withLog("claims a key with the start of its call, and keeps the result with its ending", async ({ log }) => {
      await begin(log, "call_1");
      assert.deepEqual(await log.keys.claim(claimOf("call_2")), { kind: "running", fingerprint: "f1", callId: "call_1" });
      await end(log, "call_1");
      const kept = { callId: "call_1", claimedAt: 1_000, changedAt: 5_000, expiresAt: 2_000, result: cancelled("call_1") };
      assert.deepEqual(await log.keys.find("acme", "k1"), kept);
      assert.deepEqual(await readCalls(log), ["call_1", "call_1"]);
    }),
    withLog("starts one of 100 calls with a key that come at once, and writes nothing of the others", async ({ log }) => {
      const settled = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => begin(log, `call_${n}`)));
      const first = settled.findIndex(({ status }) => status === "fulfilled");
      const refused = settled.filter((one) => one.status === "rejected" && one.reason instanceof KeyTaken);
      assert.equal(refused.length, 99);
      assert.deepEqual(await readCalls(log), [`call_${first}`]);
    }),
    withLog("writes what comes at the same time as a call whose key is taken", async ({ log }) => {
      await begin(log, "call_1");
      await end(log, "call_1");
      const [late, ...others] = await Promise.allSettled([
        begin(log, "call_2"),
        begin(log, "call_3", { key: "k3" }),
        log.append([started("call_4")]),
      ]);
      assert.ok(late?.status === "rejected" && late.reason instanceof KeyTaken);
      assert.deepEqual(
        others.map(({ status }) => status),
        ["fulfilled", "fulfilled"],
      );
      assert.deepEqual((await readCalls(log)).toSorted(), ["call_1", "call_1", "call_3", "call_4"]);
      assert.equal((await log.keys.find("acme", "k3"))?.callId, "call_3");
    }),
    withLog("leaves a key to the call that claimed it without the log", async ({ log }) => {
      await log.keys.claim(claimOf("call_1"));
      await assert.rejects(begin(log, "call_2"), KeyTaken);
      assert.deepEqual(await readCalls(log), []);
    }),
    withLog("claims a key that its call left free", async ({ log }) => {
      await begin(log, "call_1");
      await log.keys.release({ tenant: "acme", callId: "call_1" });
      await begin(log, "call_2");
      assert.equal((await log.keys.find("acme", "k1"))?.callId, "call_2");
    }),
    withLog("keeps the same key apart for each tenant", async ({ log }) => {
      await begin(log, "call_1");
      const claim = claimOf("call_2", { tenant: "other" });
      await log.append([makeEvent({ tenant: "other", session: "s1", callId: "call_2" })], { key: { claim } });
      assert.equal((await log.keys.find("other", "k1"))?.callId, "call_2");
    }),
    withLog("writes nothing of a key whose event is refused", async ({ log }) => {
      const odd = { ...started("call_1"), type: "stray.step" } as const;
      await assert.rejects(log.append([odd], { key: { claim: claimOf("call_1") } }), { code: "event_refused" });
      assert.equal(await log.keys.find("acme", "k1"), undefined);
    }),
    withLog("keeps the first result that is final", async ({ log }) => {
      await begin(log, "call_1");
      await end(log, "call_1");
      await end(log, "call_1", cancelled("call_1", "Once more."));
      assert.deepEqual((await log.keys.find("acme", "k1"))?.result, cancelled("call_1"));
    }),
    withLog("ends a call without a key", async ({ log }) => {
      await log.append([started("call_1")]);
      await end(log, "call_1");
      assert.deepEqual(await readCalls(log), ["call_1", "call_1"]);
    }),
  ];
}
