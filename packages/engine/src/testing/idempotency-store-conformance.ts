import assert from "node:assert/strict";
import type { CallResult } from "../contract/call.ts";
import type { IdempotencyClaim, IdempotencyStore } from "../ports/idempotency-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

const decision = { effect: "allow", layer: "tool", rule: "r", reason: "r", revision: "1", findings: [] } as const;
const facts = (callId: string) => ({ callId, tool: "pay", durationMs: 1, repairs: [], anomalies: [], artifacts: [] });
const done = (callId: string): CallResult => ({
  ...facts(callId),
  status: "done",
  output: { paid: 5, odd: "a\u0000b" },
  content: [],
  truncations: [],
  decision,
});
const dayMs = 24 * 60 * 60 * 1000;
const pending = (callId: string, askedUntil = 1_000): CallResult => {
  const approval = { id: "apr_1", summary: "Pay", reason: "Ask first.", expiresAt: askedUntil };
  return { ...facts(callId), status: "pending", approval, decision: { ...decision, effect: "ask" } };
};

const claimOf = (callId: string, more: Partial<IdempotencyClaim> = {}): IdempotencyClaim => ({
  tenant: "acme",
  key: "k1",
  fingerprint: "f1",
  callId,
  at: 1_000,
  expiresAt: 2_000,
  ...more,
});
const ownerOf = (callId: string) => ({ tenant: "acme", callId });

interface OpenIdempotencyStore {
  readonly store: IdempotencyStore;
  /** A further store on the same place. */
  readonly reopen: () => Promise<IdempotencyStore>;
  readonly cleanup: () => Promise<void>;
}

/** What every idempotency store must do. `open` gives a store on an empty place of its own. */
export function idempotencyStoreConformance(open: () => Promise<OpenIdempotencyStore>): readonly ConformanceCase[] {
  const withStore = (
    name: string,
    check: (store: IdempotencyStore, reopen: OpenIdempotencyStore["reopen"]) => Promise<void>,
  ): ConformanceCase => ({
    name,
    async run() {
      const { store, reopen, cleanup } = await open();
      try {
        await check(store, reopen);
      } finally {
        await cleanup();
      }
    },
  });
  return [
    withStore("gives a key to one of 100 concurrent claims, and tells the others of it (R-AU-4)", async (store) => {
      const states = await Promise.all(Array.from({ length: 100 }, (_, n) => store.claim(claimOf(`call_${n}`))));
      const claimed = states.findIndex(({ kind }) => kind === "claimed");
      assert.equal(states.filter(({ kind }) => kind === "claimed").length, 1);
      const others = states.filter((_, n) => n !== claimed);
      for (const state of others) assert.deepEqual(state, { kind: "running", fingerprint: "f1", callId: `call_${claimed}` });
    }),
    withStore("answers with the result of the first call, also when it is opened anew", async (store, reopen) => {
      assert.deepEqual(await store.claim(claimOf("call_1")), { kind: "claimed" });
      assert.deepEqual(await store.settle(ownerOf("call_1"), done("call_1"), 1_500), done("call_1"));
      const state = await (await reopen()).claim(claimOf("call_2", { fingerprint: "f2" }));
      assert.deepEqual(state, { kind: "answered", fingerprint: "f1", callId: "call_1", result: done("call_1") });
    }),
    withStore("keeps the first final result, and gives that one back", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      const late: CallResult = { ...facts("call_1"), status: "cancelled", reason: "late" };
      assert.deepEqual(await store.settle(ownerOf("call_1"), late, 1_500), done("call_1"));
      await store.release(ownerOf("call_1"));
      assert.equal((await store.claim(claimOf("call_2"))).kind, "answered");
    }),
    withStore("replaces a result that waits for a person by the one that follows", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.settle(ownerOf("call_1"), pending("call_1"), 1_500);
      const waiting = await store.claim(claimOf("call_2"));
      assert.equal(waiting.kind === "answered" && waiting.result.status, "pending");
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      const ended = await store.claim(claimOf("call_3"));
      assert.equal(ended.kind === "answered" && ended.result.status, "done");
    }),
    withStore("frees a key whose call did not run", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.release(ownerOf("call_1"));
      assert.deepEqual(await store.claim(claimOf("call_2")), { kind: "claimed" });
      await store.release(ownerOf("call_1"));
      assert.equal((await store.claim(claimOf("call_3"))).kind, "running");
    }),
    withStore("forgets a key with its time, but not while its call runs", async (store) => {
      await store.claim(claimOf("call_1"));
      assert.equal((await store.claim(claimOf("call_2", { at: 5_000, expiresAt: 9_000 }))).kind, "running");
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      assert.equal((await store.claim(claimOf("call_2", { at: 1_999 }))).kind, "answered");
      assert.equal((await store.claim(claimOf("call_2", { at: 2_000, expiresAt: 9_000 }))).kind, "claimed");
    }),
    withStore(
      "remembers a key whose call waits for as long as its approval can be answered and a day, also when it has ended",
      async (store) => {
        const askedUntil = 4 * dayMs;
        const expiresAt = askedUntil + dayMs;
        const claimAt = (callId: string, at: number) => store.claim(claimOf(callId, { at, expiresAt: at + dayMs }));
        await claimAt("call_1", 1_000);
        await store.settle(ownerOf("call_1"), pending("call_1", askedUntil), 1_500);
        assert.equal((await claimAt("call_2", askedUntil)).kind, "answered");
        assert.equal((await store.find("acme", "k1"))?.expiresAt, expiresAt);
        // It waits once more, for less long.
        await store.settle(ownerOf("call_1"), pending("call_1", dayMs), 1_700);
        await store.settle(ownerOf("call_1"), done("call_1"), askedUntil - 1);
        assert.equal((await claimAt("call_2", expiresAt - 1)).kind, "answered");
        assert.equal((await claimAt("call_2", expiresAt)).kind, "claimed");
      },
    ),
    withStore("answers with the result of the call that took up a key after its time", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      await store.claim(claimOf("call_2", { fingerprint: "f2", at: 2_000, expiresAt: 9_000 }));
      assert.deepEqual(await store.settle(ownerOf("call_1"), pending("call_1"), 1_500), pending("call_1"));
      assert.equal((await store.claim(claimOf("call_3", { at: 3_000 }))).kind, "running");
      assert.deepEqual(await store.settle(ownerOf("call_2"), done("call_2"), 1_500), done("call_2"));
      const state = await store.claim(claimOf("call_3", { at: 3_000 }));
      assert.deepEqual(state, { kind: "answered", fingerprint: "f2", callId: "call_2", result: done("call_2") });
    }),
    withStore("finds a call by its key: while it runs, while it waits, and when it has ended", async (store, reopen) => {
      assert.equal(await store.find("acme", "k1"), undefined);
      await store.claim(claimOf("call_1"));
      const running = { callId: "call_1", claimedAt: 1_000, changedAt: 1_000, expiresAt: 2_000 };
      assert.deepEqual(await store.find("acme", "k1"), running);
      await store.settle(ownerOf("call_1"), pending("call_1"), 1_200);
      const kept = { ...running, expiresAt: 1_000 + dayMs };
      assert.deepEqual(await store.find("acme", "k1"), { ...kept, changedAt: 1_200, result: pending("call_1") });
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      assert.deepEqual(await (await reopen()).find("acme", "k1"), { ...kept, changedAt: 1_500, result: done("call_1") });
      assert.equal(await store.find("other", "k1"), undefined);
      assert.equal(await store.find("acme", "k2"), undefined);
    }),
    withStore("keeps how a call ended under each of its keys, and frees none that is followed", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.claim(claimOf("call_1", { key: "k2", isFollowed: true }));
      await store.settle(ownerOf("call_1"), pending("call_1"), 1_200);
      await store.release(ownerOf("call_1"));
      assert.equal(await store.find("acme", "k1"), undefined);
      assert.deepEqual((await store.find("acme", "k2"))?.result, pending("call_1"));
      await store.claim(claimOf("call_1"));
      await store.settle(ownerOf("call_1"), done("call_1"), 1_500);
      for (const key of ["k1", "k2"]) assert.deepEqual((await store.find("acme", key))?.result, done("call_1"));
    }),
    withStore("takes results of calls without a key, and does nothing with them", async (store) => {
      assert.deepEqual(await store.settle(ownerOf("call_0"), done("call_0"), 1_500), done("call_0"));
      await store.release(ownerOf("call_0"));
    }),
    withStore("keeps tenants and keys apart (R-TN-3)", async (store) => {
      await store.claim(claimOf("call_1"));
      await store.settle({ tenant: "other", callId: "call_1" }, done("call_1"), 1_500);
      await store.release({ tenant: "other", callId: "call_1" });
      assert.equal((await store.claim(claimOf("call_2"))).kind, "running");
      assert.equal((await store.claim(claimOf("call_3", { tenant: "other" }))).kind, "claimed");
      assert.equal((await store.claim(claimOf("call_4", { key: "k2" }))).kind, "claimed");
    }),
  ];
}
