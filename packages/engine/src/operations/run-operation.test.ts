import { describe, expect, expectTypeOf, it } from "vitest";
import { z } from "zod";
import { findNonJson, type JsonObject } from "../contract/json.ts";
import { MANAGE_POLICY, READ_LOG } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { EngineOptions } from "../engine-types.ts";
import { createMemoryEventLog } from "../memory/event-log.ts";
import { createMemoryRunReader } from "../memory/run-reader.ts";
import { createMemoryTenantStore } from "../memory/tenant-store.ts";
import type { StoredApproval } from "../ports/approval-store.ts";
import { systemClock } from "../ports/clock.ts";
import { silentLogger } from "../ports/logger.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Page } from "./json-parts.ts";
import type { OperationTypes } from "./operation-types.ts";
import { operations } from "./own-operations.ts";

const pay = defineTool({
  name: "pay",
  description: "Pays an amount.",
  input: z.object({ euros: z.int() }),
  output: z.object({ euros: z.int() }),
  effects: { destructive: true },
  run: (input) => input,
});

const person = (permissions: readonly string[] = [], tenant = "acme"): Principal => ({
  tenant,
  actor: { kind: "user", id: "ann" },
  permissions,
  door: "rest",
  interactive: true,
});
const session = "s1";

function open(options: EngineOptions = {}) {
  const events = createMemoryEventLog();
  const engine = createEngine({
    tools: [pay],
    policy: { autonomy: "full", ask: ["pay"] },
    events,
    logger: silentLogger,
    administration: { runs: createMemoryRunReader(events) },
    ...options,
  });
  const logged = async (tenant = "acme") => (await events.read({ tenant, session })).map(({ event }) => event);
  return { engine, events, logged };
}

describe("the operations", () => {
  it("have names of a noun and a verb, each once, and schemas that compile", () => {
    const names = operations.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, title, description, input, output } of operations) {
      expect(name).toMatch(/^[a-z]+\.[a-z_]+$/);
      expect(title).not.toMatch(/\.$/);
      expect(description).toMatch(/^[A-Z].*\.$/);
      expect(input.json.type).toBe("object");
      expect(output.json.type).toBe("object");
    }
  });

  it("say of everything that needs a permission which one, so that people can give it", () => {
    for (const { permission, description } of operations) if (permission !== undefined) expect(description).toContain(permission);
  });

  it("type their inputs and outputs by their names", () => {
    expectTypeOf<OperationTypes["approvals.list"]["output"]>().toExtend<{ readonly items: readonly StoredApproval[] }>();
    expectTypeOf<OperationTypes["policy.put"]["input"]>().toEqualTypeOf<{ document: JsonObject; read: number; note: string }>();
    expectTypeOf<OperationTypes["runs.list"]["output"]>().toExtend<Page<{ readonly id: string }>>();
  });
});

describe("an operation", () => {
  it("lists, gets and answers what waits, and gives what its output schema says", async () => {
    const { engine } = open();
    const ann = person();
    await engine.scope(ann, { session }).invokeNamed("pay", { euros: 4 });
    const { items } = await engine.operate(ann, "approvals.list", {});
    const [{ record }] = items as readonly [StoredApproval];
    const answered = await engine.operate(ann, "approvals.answer", { id: record.id, outcome: { kind: "approve" } }, { session });
    expect(answered.answer).toMatchObject({ outcome: { kind: "approve" }, by: { id: "ann" } });
    const found = await engine.operate(ann, "approvals.get", { id: record.id });
    expect(found).toEqual(answered);
    for (const [name, output] of [["approvals.list", { items }] as const, ["approvals.get", found] as const]) {
      const { parse } = operations.find((each) => each.name === name)!.output;
      expect(findNonJson(output)).toBeUndefined();
      expect(parse(output)).toEqual({ ok: true, value: output });
    }
  });

  it("refuses a name that there is not, and says which was meant", async () => {
    const { engine } = open();
    await expect(engine.operateNamed(person(), "approval.list", {})).rejects.toMatchObject({
      code: "operation_not_found",
      message: 'There is no operation "approval.list". Did you mean "approvals.list"?',
    });
    await expect(engine.operateNamed(person(), "__proto__", {})).rejects.toMatchObject({ code: "operation_not_found" });
  });

  it("refuses whoever lacks its permission, and names it", async () => {
    const { engine } = open();
    await expect(engine.operate(person(), "runs.list", {})).rejects.toMatchObject({
      code: "operation_not_allowed",
      message: 'The user "ann" may not use runs.list in the tenant "acme". Ask somebody with the permission log:read.',
      details: { operation: "runs.list", permission: READ_LOG },
    });
    const child = { ...person([READ_LOG]), delegated: { from: person([READ_LOG]) } };
    await expect(engine.operate(child, "runs.list", {})).rejects.toMatchObject({ code: "operation_not_allowed" });
    expect(await engine.operate(person([READ_LOG]), "runs.list", {})).toEqual({ items: [], next: undefined });
  });

  it("repairs its input as a tool does, and refuses the rest with every issue", async () => {
    const { engine } = open();
    expect(await engine.operateNamed(person([READ_LOG]), "runs.list", { limit: "5", status: null })).toMatchObject({ items: [] });
    await expect(engine.operateNamed(person([READ_LOG]), "runs.list", { limit: "many", tols: 1 })).rejects.toMatchObject({
      code: "invalid_input",
      details: [
        { path: "/limit", message: expect.stringContaining("expected a whole number") },
        { path: "/tols", message: expect.stringContaining('Did you mean "tool"?') },
      ],
    });
    const odd = { document: { at: () => 1 }, read: 0, note: "x" };
    await expect(engine.operateNamed(person([MANAGE_POLICY]), "policy.put", odd)).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("runs nothing for a tenant that there is not", async () => {
    const { engine, logged } = open({ tenants: createMemoryTenantStore() });
    const nope = person([MANAGE_POLICY], "nope");
    await expect(engine.operate(nope, "approvals.list", {})).rejects.toMatchObject({ code: "tenant_not_found" });
    await expect(engine.operate(nope, "policy.put", { document: {}, read: 0, note: "x" })).rejects.toMatchObject({
      code: "tenant_not_found",
    });
    expect(await logged("nope")).toEqual([]);
  });

  it("says what to add where its port is missing", async () => {
    const { engine } = open({ administration: {} });
    await expect(engine.operate(person([READ_LOG]), "runs.list", {})).rejects.toMatchObject({
      code: "operation_unavailable",
      message: expect.stringMatching(/Give createEngine .*createMemoryRunReader.*administration: \{ runs \}/),
    });
  });
});

describe("an operation that changes something", () => {
  const change = { document: { tools: { deny: ["pay"] } }, read: 0, note: "No payments" };

  it("is in the log before it happens, with who and what, and how it ended before the answer leaves", async () => {
    const { engine, logged } = open();
    await engine.operate(person([MANAGE_POLICY]), "policy.put", change, { session });
    expect(await logged()).toMatchObject([
      { type: "admin.started", actor: { id: "ann" }, door: "rest", data: { operation: "policy.put", effect: "write", input: change } },
      { type: "admin.completed", data: { operation: "policy.put" } },
    ]);
    await expect(engine.operate(person([MANAGE_POLICY]), "policy.put", change, { session })).rejects.toMatchObject({
      code: "policy_conflict",
    });
    expect((await logged()).at(-1)).toMatchObject({ type: "admin.failed", data: { error: { code: "policy_conflict" } } });
  });

  it("is in the log when it was refused", async () => {
    const { engine, logged } = open();
    await expect(engine.operate(person(), "policy.put", change, { session })).rejects.toMatchObject({ code: "operation_not_allowed" });
    expect(await logged()).toMatchObject([{ type: "admin.denied", data: { error: { code: "operation_not_allowed" } } }]);
  });

  it("leaves the same events where a scope does it", async () => {
    const { engine, logged } = open();
    const scope = engine.scope(person(), { session });
    const changes = async (by: "scope" | "operate") => {
      const before = (await logged()).length;
      const asked = await engine.scope(person(), { session: "other" }).invoke("pay", { euros: 1 });
      const id = "approval" in asked ? asked.approval.id : "";
      const yes = { kind: "approve", remember: { scope: "agent" } } as const;
      await (by === "scope" ? scope.answer(id, yes) : engine.operate(person(), "approvals.answer", { id, outcome: yes }, { session }));
      const [{ record } = { record: { id: "" } }] = await scope.grants();
      await (by === "scope" ? scope.revokeGrant(record.id) : engine.operate(person(), "grants.revoke", { id: record.id }, { session }));
      const facts = (await logged())
        .slice(before)
        .map(({ type, actor, door, data: { durationMs: _, ...data } }) => [type, actor, door, data]);
      return JSON.stringify(facts).replaceAll(id, "approval").replaceAll(record.id, "grant");
    };
    expect(await changes("scope")).toBe(await changes("operate"));
    expect((await logged()).map(({ type }) => type)).toEqual(Array(4).fill(["admin.started", "admin.completed"]).flat());
  });

  it("happens in a session of the day where none is named, and in nobody else's", async () => {
    const { engine, events } = open({ clock: { ...systemClock, now: () => Date.UTC(2026, 0, 31) } });
    await engine.operate(person([MANAGE_POLICY]), "policy.put", change);
    const session = await engine.openSession(person(), "admin-2026-01-31");
    expect(await events.read({ tenant: "acme", session })).toHaveLength(2);
    const { id } = await engine.operate({ ...person(), actor: { kind: "user", id: "bob" } }, "sessions.create", {});
    await expect(engine.operate(person([MANAGE_POLICY]), "policy.put", change, { session: id })).rejects.toMatchObject({
      code: "session_not_found",
    });
  });

  it("does not happen while the log cannot be written", async () => {
    const { engine } = open({ events: { ...createMemoryEventLog(), append: () => Promise.reject(new Error("disk full")) } });
    await expect(engine.operate(person([MANAGE_POLICY]), "policy.put", change)).rejects.toMatchObject({
      code: "record_failed",
      message: expect.stringContaining("so nothing happened"),
    });
    expect((await engine.operate(person([MANAGE_POLICY]), "policy.current", {})).revision).toBe(0);
  });
});
