import assert from "node:assert/strict";
import type { Principal } from "../contract/principal.ts";
import type { ApprovalRecord, ApprovalStore } from "../ports/approval-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, permissions: [], door: "mcp" };
const allow = { effect: "ask", layer: "tool", rule: "tools.ask[0]", reason: "Ask first.", revision: "r1", findings: [] } as const;

function makeRecord(id: string, createdAt: number, tenant = "acme"): ApprovalRecord {
  const binding = { input: "i", definition: "d", policyRevision: "r1", secrets: "s", caller: "c", disclosed: "r", world: "w" };
  return {
    id,
    callId: `call_${id}`,
    tool: "pay",
    principal: { ...principal, tenant },
    session: "s1",
    input: { euros: 5 },
    binding,
    decision: allow,
    summary: "Pay",
    createdAt,
    expiresAt: createdAt + 1000,
  };
}

const by = { kind: "user", id: "ann" } as const;

/** What every approval store must do. `open` gives a store on the same, initially empty, place each time it is called within one case. */
export function approvalStoreConformance(
  open: () => Promise<{
    readonly store: ApprovalStore;
    readonly reopen: () => Promise<ApprovalStore>;
    readonly cleanup: () => Promise<void>;
  }>,
): readonly ConformanceCase[] {
  const withStore = (
    name: string,
    check: (store: ApprovalStore, reopen: () => Promise<ApprovalStore>) => Promise<void>,
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
    withStore("gives back a record as it was created", async (store) => {
      const record = makeRecord("apr_1", 1);
      await store.create(record);
      assert.deepEqual(await store.get("acme", "apr_1"), { record });
    }),
    withStore("finds a record again after it was opened anew (R-AP-5)", async (store, reopen) => {
      await store.create(makeRecord("apr_1", 1));
      await store.answer("acme", "apr_1", { outcome: { kind: "approve" }, by, at: 2 });
      const again = await (await reopen()).get("acme", "apr_1");
      assert.equal(again?.answer?.outcome.kind, "approve");
      assert.equal(again?.record.summary, "Pay");
    }),
    withStore("shows a tenant's record to no other tenant (R-TN-3)", async (store) => {
      await store.create(makeRecord("apr_1", 1));
      assert.equal(await store.get("other", "apr_1"), undefined);
      assert.equal(await store.answer("other", "apr_1", { outcome: { kind: "approve" }, by, at: 2 }), false);
      assert.equal(await store.claim("other", "apr_1", 2), false);
      assert.deepEqual(await store.list("other"), []);
    }),
    withStore("treats an id that is a path or a prototype member as unknown", async (store) => {
      for (const id of ["../apr_1", "__proto__", "constructor", "a/b", "", "apr_1\u0000"])
        assert.equal(await store.get("acme", id), undefined);
    }),
    withStore("lists open records, oldest first", async (store) => {
      for (const [id, at] of [
        ["apr_2", 20],
        ["apr_1", 10],
        ["apr_3", 30],
      ] as const)
        await store.create(makeRecord(id, at));
      await store.answer("acme", "apr_2", { outcome: { kind: "deny" }, by, at: 25 });
      const open = await store.list("acme", { openAt: 40 });
      assert.deepEqual(
        open.map(({ record }) => record.id),
        ["apr_1", "apr_3"],
      );
      assert.deepEqual(
        (await store.list("acme", { openAt: 1020 })).map(({ record }) => record.id),
        ["apr_3"],
      );
      assert.equal((await store.list("acme")).length, 3);
    }),
    withStore("lists what can still be used: answered or not, but not claimed", async (store) => {
      for (const id of ["apr_1", "apr_2", "apr_3"]) await store.create(makeRecord(id, 10));
      await store.answer("acme", "apr_2", { outcome: { kind: "approve" }, by, at: 20 });
      await store.claim("acme", "apr_3", 20);
      const usable = async (usableAt: number) => (await store.list("acme", { usableAt })).map(({ record }) => record.id);
      assert.deepEqual((await usable(30)).sort(), ["apr_1", "apr_2"]);
      assert.deepEqual(await usable(1010), []);
    }),
    withStore("takes the first of 100 concurrent answers and no other", async (store) => {
      await store.create(makeRecord("apr_1", 1));
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, at) => store.answer("acme", "apr_1", { outcome: { kind: "approve" }, by, at })),
      );
      assert.equal(answers.filter(Boolean).length, 1);
    }),
    withStore("lets one of 100 concurrent claims through (R-AP-4)", async (store) => {
      await store.create(makeRecord("apr_1", 1));
      await store.answer("acme", "apr_1", { outcome: { kind: "approve" }, by, at: 2 });
      const claims = await Promise.all(Array.from({ length: 100 }, () => store.claim("acme", "apr_1", 3)));
      assert.equal(claims.filter(Boolean).length, 1);
      assert.equal((await store.get("acme", "apr_1"))?.claimedAt, 3);
    }),
    ...quorumCases(withStore),
  ];
}

type WithStore = (name: string, check: (store: ApprovalStore, reopen: () => Promise<ApprovalStore>) => Promise<void>) => ConformanceCase;

/** Cases of records that several people have to say yes to. */
function quorumCases(withStore: WithStore): readonly ConformanceCase[] {
  const makeQuorum = (id: string) => ({ ...makeRecord(id, 1), quorum: { approvers: 2, permissions: [], notRequester: true } });
  const yes = (id: string, at: number) => ({ outcome: { kind: "approve" }, by: { kind: "user", id }, at }) as const;
  return [
    withStore("collects answers until the quorum is there, over several openings", async (store, reopen) => {
      await store.create(makeQuorum("apr_1"));
      assert.equal(await store.answer("acme", "apr_1", yes("ann", 2)), true);
      const waiting = await store.get("acme", "apr_1");
      assert.equal(waiting?.answer, undefined);
      assert.deepEqual(waiting?.approvals, [yes("ann", 2)]);
      assert.equal((await store.list("acme", { openAt: 3 })).length, 1);
      assert.equal(await (await reopen()).answer("acme", "apr_1", yes("bob", 3)), true);
      const settled = await store.get("acme", "apr_1");
      assert.deepEqual(settled?.answer, yes("bob", 3));
      assert.deepEqual(settled?.approvals, [yes("ann", 2), yes("bob", 3)]);
      assert.equal(await store.answer("acme", "apr_1", yes("cem", 4)), false);
    }),
    withStore("counts one person once, however often they answer at once", async (store) => {
      await store.create(makeQuorum("apr_1"));
      const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => store.answer("acme", "apr_1", yes("ann", at))));
      assert.equal(answers.filter(Boolean).length, 1);
      assert.equal((await store.get("acme", "apr_1"))?.answer, undefined);
    }),
    withStore("ends with the first no", async (store) => {
      await store.create(makeQuorum("apr_1"));
      await store.answer("acme", "apr_1", yes("ann", 2));
      assert.equal(await store.answer("acme", "apr_1", { outcome: { kind: "deny" }, by: { kind: "user", id: "bob" }, at: 3 }), true);
      assert.equal((await store.get("acme", "apr_1"))?.answer?.outcome.kind, "deny");
      assert.equal(await store.answer("acme", "apr_1", yes("cem", 4)), false);
    }),
  ];
}
