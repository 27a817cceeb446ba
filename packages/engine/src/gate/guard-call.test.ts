import { describe, expect, it, vi } from "vitest";
import { ToolwrightError } from "../contract/errors.ts";
import { createEngine } from "../engine.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryTenantStore } from "../memory/tenant-store.ts";
import type { Tenants } from "../ports/tenant-store.ts";
import { principal, probe } from "../testing/probe-tool.ts";

function setUp(has: Tenants["has"], more: object = {}) {
  const events = createMemoryEventLog();
  const run = vi.fn(() => ({ text: "ran" }));
  const log = vi.fn();
  const append = vi.spyOn(events, "append");
  const engine = createEngine({ tools: [probe(run, more)], events, tenants: { has }, logger: { log } });
  return { scope: engine.scope(principal, { session: "s1" }), run, log, append };
}

describe("a call for a tenant", () => {
  it.each<[string, Tenants["has"]]>([
    ["is known not to exist", () => false],
    ["is not found", async () => false],
  ])("that %s ends before anything runs, and leaves no event and no error of ours", async (_, has) => {
    const { scope, run, log, append } = setUp(has, { effects: { destructive: true } });
    const error = { code: "tenant_not_found", message: expect.stringContaining('store.tenants.ensure("acme")') };
    const calls = [
      scope.invokeNamed("probe", {}),
      scope.invokeNamed("nothing", {}),
      scope.invokeNamed("probe", {}, { idempotencyKey: "k" }),
      scope.resume("apr_1"),
    ];
    for (const result of await Promise.all(calls)) expect(result).toMatchObject({ status: "failed", error });
    expect(run).not.toHaveBeenCalled();
    expect(append).not.toHaveBeenCalled();
    expect(log).not.toHaveBeenCalled();
  });

  it.each<[string, Tenants["has"]]>([
    ["is known", () => true],
    ["is found", async () => true],
  ])("that %s runs", async (_, has) => {
    expect(await setUp(has).scope.invokeNamed("probe", {})).toMatchObject({ status: "done" });
  });

  it("goes by the tenants of the log where none are given", async () => {
    const tenants = createMemoryTenantStore();
    const scope = createEngine({ tools: [probe(() => ({ text: "ran" }))], events: { ...createMemoryEventLog(), tenants } }).scope(
      principal,
    );
    expect(await scope.invokeNamed("probe", {})).toMatchObject({ status: "failed", error: { code: "tenant_not_found" } });
    await tenants.ensure("acme");
    expect(await scope.invokeNamed("probe", {})).toMatchObject({ status: "done" });
  });

  it("of any name runs where nobody keeps a list of tenants", async () => {
    const scope = createEngine({ tools: [probe(() => ({ text: "ran" }))] }).scope({ ...principal, tenant: "any name at all" });
    expect(await scope.invokeNamed("probe", {})).toMatchObject({ status: "done" });
  });

  it("that cannot be looked up does not run", async () => {
    const away = new ToolwrightError("store_unreachable", "The database does not answer.");
    const { scope, run } = setUp(() => Promise.reject(away));
    expect(await scope.invokeNamed("probe", {})).toMatchObject({ status: "failed", error: { code: "store_unreachable" } });
    expect(run).not.toHaveBeenCalled();
  });
});
