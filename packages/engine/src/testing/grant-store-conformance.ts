import assert from "node:assert/strict";
import type { GrantRecord, GrantStore } from "../ports/grant-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

const by = { kind: "user", id: "ann" } as const;

function makeRecord(id: string, createdAt: number, more: Partial<GrantRecord> = {}): GrantRecord {
  return {
    id,
    tenant: "acme",
    tool: "exec",
    definition: "d",
    scope: { kind: "agent", holder: "agent helper" },
    allows: [{ kind: "command", pattern: "npm test" }],
    by,
    createdAt,
    expiresAt: createdAt + 1000,
    maxUses: 20,
    ...more,
  };
}

interface OpenGrantStore {
  readonly store: GrantStore;
  /** A further store on the same place. */
  readonly reopen: () => Promise<GrantStore>;
  readonly cleanup: () => Promise<void>;
}

/** What every grant store must do. `open` gives a store on an empty place of its own. */
export function grantStoreConformance(open: () => Promise<OpenGrantStore>): readonly ConformanceCase[] {
  const withStore = (name: string, check: (store: GrantStore, reopen: OpenGrantStore["reopen"]) => Promise<void>): ConformanceCase => ({
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
    withStore("gives back a grant as it was created, unused", async (store) => {
      const record = makeRecord("grt_1", 1, { approval: "apr_1" });
      await store.create(record);
      assert.deepEqual(await store.get("acme", "grt_1"), { record, used: 0 });
    }),
    withStore("refuses a second grant of the same id", async (store) => {
      await store.create(makeRecord("grt_1", 1));
      await assert.rejects(store.create(makeRecord("grt_1", 2)));
      assert.equal((await store.get("acme", "grt_1"))?.record.createdAt, 1);
    }),
    withStore("keeps grant, uses and revocation when it is opened anew", async (store, reopen) => {
      await store.create(makeRecord("grt_1", 1));
      await store.use("acme", "grt_1", 2);
      await store.use("acme", "grt_1", 3);
      await store.revoke("acme", "grt_1", { by, at: 4 });
      const again = await (await reopen()).get("acme", "grt_1");
      assert.equal(again?.used, 2);
      assert.equal(again?.lastUsedAt, 3);
      assert.deepEqual(again?.revoked, { by, at: 4 });
    }),
    withStore("shows a tenant's grant to no other tenant (R-TN-3)", async (store) => {
      await store.create(makeRecord("grt_1", 1));
      assert.equal(await store.get("other", "grt_1"), undefined);
      assert.equal(await store.use("other", "grt_1", 2), false);
      assert.equal(await store.revoke("other", "grt_1", { by, at: 2 }), false);
      assert.deepEqual(await store.list("other"), []);
    }),
    withStore("treats an id that is a path or a prototype member as unknown", async (store) => {
      for (const id of ["../grt_1", "__proto__", "constructor", "a/b", "", "grt_1\u0000"]) {
        assert.equal(await store.get("acme", id), undefined);
        assert.equal(await store.use("acme", id, 1), false);
      }
    }),
    withStore("lists oldest first, by tool, and what is live then", async (store) => {
      await store.create(makeRecord("grt_2", 20));
      await store.create(makeRecord("grt_1", 10, { maxUses: 1 }));
      await store.create(makeRecord("grt_3", 30, { tool: "send" }));
      const ids = async (filter?: Parameters<GrantStore["list"]>[1]) => (await store.list("acme", filter)).map(({ record }) => record.id);
      assert.deepEqual(await ids(), ["grt_1", "grt_2", "grt_3"]);
      assert.deepEqual(await ids({ tool: "exec" }), ["grt_1", "grt_2"]);
      assert.deepEqual(await ids({ liveAt: 1010 }), ["grt_2", "grt_3"]);
      await store.use("acme", "grt_1", 40);
      await store.revoke("acme", "grt_2", { by, at: 40 });
      assert.deepEqual(await ids({ liveAt: 50 }), ["grt_3"]);
      assert.equal((await ids()).length, 3);
    }),
    withStore("counts no use after the time or a revocation", async (store) => {
      await store.create(makeRecord("grt_1", 1));
      assert.equal(await store.use("acme", "grt_1", 1001), false);
      assert.equal(await store.revoke("acme", "grt_1", { by, at: 3 }), true);
      assert.equal(await store.revoke("acme", "grt_1", { by, at: 4 }), false);
      assert.equal(await store.use("acme", "grt_1", 5), false);
      assert.equal((await store.get("acme", "grt_1"))?.used, 0);
    }),
    withStore("counts exactly as many of 60 concurrent uses as there are, over two stores on one place", async (store, reopen) => {
      await store.create(makeRecord("grt_1", 1));
      const second = await reopen();
      const uses = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? store : second).use("acme", "grt_1", 2));
      assert.equal((await Promise.all(uses)).filter(Boolean).length, 20);
      assert.equal((await store.get("acme", "grt_1"))?.used, 20);
    }),
  ];
}
