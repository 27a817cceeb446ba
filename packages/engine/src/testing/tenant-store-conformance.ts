import assert from "node:assert/strict";
import type { TenantStore } from "../ports/tenant-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenTenantStore {
  readonly store: TenantStore;
  /** The store of another process on the same place. */
  readonly reopen: () => Promise<TenantStore>;
}

/** What every store of tenants must do. `open` may give a place that has tenants, without those named `conformance` and a number. */
export function tenantStoreConformance(open: () => Promise<OpenTenantStore>): readonly ConformanceCase[] {
  let number = 0;
  const withStore = (name: string, check: (opened: OpenTenantStore, tenant: string) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open(), `conformance-${++number}`),
  });
  const names = async (store: TenantStore) => (await store.list()).map(({ tenant }) => tenant);
  return [
    withStore("has the tenant default from the beginning", async ({ store }) => {
      assert.equal(await store.has("default"), true);
      assert.equal((await store.get("default"))?.tenant, "default");
    }),
    withStore("makes a tenant that every process then has", async ({ store, reopen }, tenant) => {
      const other = await reopen();
      assert.equal(await other.has(tenant), false);
      const made = await store.create({ tenant, name: "A tenant" });
      assert.equal(made.name, "A tenant");
      assert.equal(made.suspendedAt, undefined);
      assert.deepEqual(await store.get(tenant), made);
      assert.equal(await store.has(tenant), true);
      assert.equal(await other.has(tenant), true);
    }),
    withStore(
      "ensures a tenant: makes it once, whoever asks at the same moment, and leaves one that is there",
      async ({ store }, tenant) => {
        const made = await Promise.all(Array.from({ length: 10 }, () => store.ensure(tenant)));
        for (const each of made) assert.deepEqual(each, made[0]);
        await store.suspend(tenant);
        assert.notEqual((await store.ensure(tenant)).suspendedAt, undefined);
        assert.equal((await names(store)).filter((each) => each === tenant).length, 1);
      },
    ),
    withStore("refuses a name that is taken or not fit, and makes nothing", async ({ store }, tenant) => {
      await store.create({ tenant, name: "First" });
      await assert.rejects(store.create({ tenant, name: "Second" }), { code: "identity_refused" });
      assert.equal((await store.get(tenant))?.name, "First");
      const before = await names(store);
      for (const unfit of ["", "No Spaces", "Upper", "-first", "a".repeat(64), "../up", "a\nb", "__proto__"]) {
        await assert.rejects(store.create({ tenant: unfit, name: "x" }), { code: "identity_refused" });
        await assert.rejects(store.ensure(unfit), { code: "identity_refused" });
      }
      for (const name of ["", "  ", "a\nb", "x".repeat(101)])
        await assert.rejects(store.create({ tenant: `${tenant}-x`, name }), { code: "identity_refused" });
      assert.deepEqual(await names(store), before);
    }),
    withStore("treats a name that is a path, a prototype member or another text as unknown", async ({ store }) => {
      for (const name of ["../default", "__proto__", "constructor", "", "DEFAULT", "default\u0000"]) {
        assert.equal(await store.has(name), false);
        assert.equal(await store.get(name), undefined);
      }
    }),
    withStore("suspends a tenant and lets it go on, and still has it", async ({ store }, tenant) => {
      await store.ensure(tenant);
      await store.suspend(tenant);
      assert.equal(typeof (await store.get(tenant))?.suspendedAt, "number");
      assert.equal(await store.has(tenant), true);
      await store.resume(tenant);
      assert.equal((await store.get(tenant))?.suspendedAt, undefined);
    }),
    withStore("rejects with tenant_not_found what it cannot find", async ({ store }, tenant) => {
      const missing = { code: "tenant_not_found", message: new RegExp(`store\\.tenants\\.ensure\\("${tenant}"\\)`) };
      await assert.rejects(store.suspend(tenant), missing);
      await assert.rejects(store.resume(tenant), missing);
    }),
    withStore("lists tenants by name", async ({ store }, tenant) => {
      for (const suffix of ["b", "a"]) await store.ensure(`${tenant}-${suffix}`);
      const listed = (await names(store)).filter((each) => each.startsWith(`${tenant}-`));
      assert.deepEqual(listed, [`${tenant}-a`, `${tenant}-b`]);
    }),
  ];
}
