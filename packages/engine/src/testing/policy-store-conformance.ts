import assert from "node:assert/strict";
import type { NewPolicyVersion, PolicyStore } from "../ports/policy-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenPolicyStore {
  readonly store: PolicyStore;
  /** The store of another process on the same place. */
  readonly reopen: () => Promise<PolicyStore>;
}

const author = { kind: "user", id: "ann" } as const;
const change = (read: number, given: Partial<NewPolicyVersion> = {}): NewPolicyVersion => ({
  tenant: "acme",
  document: { version: 1, tools: { deny: [`tool_${read}`] } },
  author,
  note: `Change ${read}`,
  at: Date.UTC(2026, 0, 1) + read,
  read,
  ...given,
});

/** Resolves when the store has the revision in force; rejects after a second. */
async function comesTo(store: PolicyStore, tenant: string, revision: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Error(`Revision ${revision} does not show within a second.`)), 1_000);
  const look = () => {
    if (store.current(tenant)?.revision === revision) resolve();
  };
  const stop = store.onChange(look);
  look();
  await promise.finally(() => {
    clearTimeout(timer);
    stop();
  });
}

/** What every store of policies must do, for the tenants `acme` and `other`. */
export function policyStoreConformance(open: () => Promise<OpenPolicyStore>): readonly ConformanceCase[] {
  const withStore = (name: string, check: (opened: OpenPolicyStore) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withStore("has none at first", async ({ store }) => {
      assert.equal(store.current("acme"), undefined);
      assert.deepEqual(await store.list("acme"), []);
      assert.equal(await store.find("acme", 1), undefined);
    }),
    withStore("keeps each version as it was put, with author, note and time, and the newest is in force", async ({ store }) => {
      const document = { version: 1, rates: { act: "5/h" }, tools: { deny: ["b", "a"] }, agents: [{ id: "ü\u0000" }] };
      const { read: _, ...first } = change(0, { document });
      assert.deepEqual(await store.put({ ...first, read: 0 }), { ...first, revision: 1 });
      const second = await store.put(change(1));
      assert.equal(store.current("acme")?.revision, 2);
      assert.deepEqual(store.current("acme"), second);
      assert.deepEqual(await store.find("acme", 1), { ...first, revision: 1 });
      assert.equal(JSON.stringify((await store.find("acme", 1))?.document), JSON.stringify(document));
    }),
    withStore("gives the same object until the policy changes", async ({ store }) => {
      await store.put(change(0));
      const before = store.current("acme");
      await store.put(change(0, { tenant: "other" }));
      assert.equal(store.current("acme"), before);
    }),
    withStore("refuses a change of what is not the newest, and writes nothing", async ({ store, reopen }) => {
      await store.put(change(0));
      await (await reopen()).put(change(1));
      for (const read of [0, 1, 3]) await assert.rejects(store.put(change(read)), { code: "policy_conflict" });
      assert.equal((await store.list("acme")).length, 2);
    }),
    withStore("lets one of many win that change the same revision at once", async ({ store, reopen }) => {
      const stores = [store, await reopen()];
      const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => stores[n % 2]?.put(change(0, { note: `${n}` }))));
      assert.equal(ends.filter(({ status }) => status === "fulfilled").length, 1);
      for (const end of ends) if (end.status === "rejected") assert.equal(end.reason.code, "policy_conflict");
      assert.equal((await store.list("acme")).length, 1);
    }),
    withStore("lists versions newest first, page by page", async ({ store }) => {
      for (let read = 0; read < 5; read += 1) await store.put(change(read));
      const revisionsOf = async (page: Parameters<PolicyStore["list"]>[1]) =>
        (await store.list("acme", page)).map(({ revision }) => revision);
      assert.deepEqual(await revisionsOf({}), [5, 4, 3, 2, 1]);
      assert.deepEqual(await revisionsOf({ limit: 2 }), [5, 4]);
      assert.deepEqual(await revisionsOf({ before: 4, limit: 2 }), [3, 2]);
    }),
    withStore("shows a change to other processes within a second, and tells them", async ({ store, reopen }) => {
      const other = await reopen();
      await store.put(change(0));
      await comesTo(other, "acme", 1);
      await other.put(change(1));
      await comesTo(store, "acme", 2);
      assert.deepEqual(store.current("acme")?.document, change(1).document);
    }),
    withStore("shows what was put before to a process that starts later", async ({ store, reopen }) => {
      await store.put(change(0));
      assert.equal((await reopen()).current("acme")?.revision, 1);
    }),
    withStore("shows no tenant the policy of another (R-TN-3)", async ({ store }) => {
      await store.put(change(0));
      assert.equal(store.current("other"), undefined);
      assert.deepEqual(await store.list("other"), []);
      assert.equal(await store.find("other", 1), undefined);
      assert.equal((await store.put(change(0, { tenant: "other" }))).revision, 1);
      assert.equal(store.current("acme")?.revision, 1);
    }),
  ];
}
