import assert from "node:assert/strict";
import type { Principal } from "../contract/principal.ts";
import type { Hook, Hooks } from "../ports/hooks.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenHooks {
  /** Without any hooks; it has the tenants `acme` and `other`. */
  readonly hooks: Hooks;
  /** The hooks of another process on the same place. */
  readonly reopen: () => Promise<Hooks>;
  /** Nothing happens for the tenant from now on. */
  readonly suspend: (tenant: string) => Promise<void>;
}

const principal: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: ["agents:run"],
  door: "rest",
  key: "key_1",
};
const orders: Hook = {
  ...{ tenant: "acme", id: "hook_orders", name: "orders", agent: "assistant", channel: "log", secret: "orders_hook" },
  ...{ principal, createdAt: 1_000 },
};
const others: Hook = { ...orders, tenant: "other", id: "hook_others", principal: { ...principal, tenant: "other" } };

/** What all stores of hooks must do. */
export function hooksConformance(open: () => Promise<OpenHooks>): readonly ConformanceCase[] {
  const withHooks = (name: string, check: (opened: OpenHooks) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withHooks("keeps them by name, and finds them by id in whatever process", async ({ hooks, reopen }) => {
      const sends = { channel: "webhook", target: "https://example.org/in", credential: "TOKEN" };
      const first = { ...orders, ...sends, id: "hook_first", name: "alerts" };
      await hooks.add(orders);
      await hooks.add(first);
      assert.deepEqual(await hooks.list("acme"), [first, orders]);
      assert.deepEqual(await (await reopen()).find(orders.id), orders);
      assert.equal(await hooks.find("orders"), undefined);
      assert.equal(await hooks.find("hook\u0000"), undefined);
    }),
    withHooks("has one of a name in a tenant, and any number in all of them", async ({ hooks }) => {
      await hooks.add(orders);
      await assert.rejects(hooks.add({ ...orders, id: "hook_again" }), { code: "catalogue_refused" });
      await hooks.add(others);
      assert.deepEqual(await hooks.list("acme"), [orders]);
      assert.deepEqual(await hooks.list("other"), [others]);
    }),
    withHooks("removes those of the tenant alone", async ({ hooks }) => {
      await hooks.add(orders);
      assert.equal(await hooks.remove({ tenant: "other", id: orders.id }), false);
      assert.equal(await hooks.remove(orders), true);
      assert.equal(await hooks.remove(orders), false);
      assert.equal(await hooks.find(orders.id), undefined);
    }),
    withHooks("finds none of a tenant that is suspended", async ({ hooks, suspend }) => {
      await hooks.add(others);
      await suspend("other");
      assert.equal(await hooks.find(others.id), undefined);
    }),
  ];
}
