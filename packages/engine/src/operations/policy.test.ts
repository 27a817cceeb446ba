import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { Json, JsonObject } from "../contract/json.ts";
import { MANAGE_POLICY } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { Engine } from "../engine-types.ts";
import { createMemoryPolicyStore } from "../memory/policy-store.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import type { PolicyTier } from "../policy/policy.ts";
import type { PolicyOption } from "../policy/policy-option.ts";
import type { Logger } from "../ports/logger.ts";
import type { PolicyStore } from "../ports/policy-store.ts";
import { sharedSessions } from "../testing/shared-sessions.ts";
import { defineTool } from "../tool/define-tool.ts";

const person = (tenant: string, id = "ann"): Principal => ({
  tenant,
  actor: { kind: "user", id },
  permissions: [MANAGE_POLICY],
  door: "rest",
});
const agentOf = (tenant: string, id: string): Principal => ({ tenant, actor: { kind: "agent", id }, permissions: [], door: "agent" });

const toolOf = (name: string) =>
  defineTool({
    name,
    description: "Does something that changes things.",
    input: z.object({}),
    output: z.object({}),
    effects: { destructive: true },
    run: () => ({}),
  });
const [pay, mail] = [toolOf("pay"), toolOf("mail")];

const agentRule = { agents: [{ id: "a", commands: { rules: [{ pattern: "git *", effect: "deny", match: ["ls"] }] } }] };

const setUp = (options: { readonly policies?: PolicyStore; readonly logger?: Logger; readonly policy?: PolicyOption } = {}) => {
  const engine = createEngine({ tools: [pay, mail], policy: "full", sessions: sharedSessions(), ...options });
  const statusOf = async (tenant: string, tool: "pay" | "mail" = "pay", principal = person(tenant)) =>
    (await engine.scope(principal, { session: "s1" }).invokeNamed(tool, {})).status;
  return { engine, statusOf, policiesOf: (tenant: string) => policiesFor(engine, person(tenant)) };
};

interface Change {
  readonly read: number;
  readonly note: string;
}

const policiesFor = ({ operate }: Pick<Engine, "operate">, principal: Principal) => ({
  current: () => operate(principal, "policy.current", {}),
  put: (document: JsonObject, change: Change) => operate(principal, "policy.put", { document, ...change }),
  versions: async () => (await operate(principal, "policy.versions", {})).items,
  diff: async (from: number, to: number) => (await operate(principal, "policy.diff", { from, to })).items,
  revert: (revision: number, change: Change) => operate(principal, "policy.revert", { revision, ...change }),
});

describe("policies of two tenants in one process", () => {
  it("decide the same call differently, each for its own tenant alone", async () => {
    const { statusOf, policiesOf, engine } = setUp();
    await policiesOf("acme").put({ tools: { deny: ["pay"] } }, { read: 0, note: "No payments by agents" });
    await policiesOf("other").put({ tools: { ask: ["pay"] } }, { read: 0, note: "Ask first" });
    expect(await statusOf("acme")).toBe("denied");
    expect(await statusOf("other")).toBe("pending");
    expect(await statusOf("third")).toBe("done");
    const why = (tenant: string) => engine.scope(person(tenant)).why("pay", {}).decision?.rule;
    expect([why("acme"), why("other")]).toEqual(["tenant.tools.deny[0]", "tenant.tools.ask[0]"]);
    const listed = (tenant: string) =>
      engine
        .scope(person(tenant))
        .list()
        .map(({ name }) => name);
    expect([listed("acme"), listed("other")]).toEqual([["mail"], ["mail", "pay"]]);
  });

  it("narrow each agent of the tenant, and none of another one", async () => {
    const { statusOf, policiesOf } = setUp();
    await policiesOf("acme").put({ agents: [{ id: "helper", tools: { deny: ["mail"] } }] }, { read: 0, note: "No mail" });
    expect(await statusOf("acme", "mail", agentOf("acme", "helper"))).toBe("denied");
    expect(await statusOf("acme", "mail", agentOf("acme", "writer"))).toBe("done");
    expect(await statusOf("other", "mail", agentOf("other", "helper"))).toBe("done");
  });

  it("cannot widen what the platform says, and count rates of their own", async () => {
    const document = { ...defaultPolicy, autonomy: "full", tools: { deny: ["mail"] }, rates: { act: "3/h" } } as const;
    const { statusOf, policiesOf } = setUp({ policy: document });
    await policiesOf("acme").put({ tools: { allow: ["mail", "pay"] }, rates: { act: "1/h" } }, { read: 0, note: "More" });
    expect(await statusOf("acme", "mail")).toBe("denied");
    expect([await statusOf("acme"), await statusOf("acme")]).toEqual(["done", "failed"]);
    expect([await statusOf("other"), await statusOf("other")]).toEqual(["done", "done"]);
  });

  it("hold beside what the engine was given for one tenant, and after the platform's changed", async () => {
    const tier: PolicyTier = { tier: "tenant", tenant: "other", document: { version: 1, tools: { deny: ["pay"] } } };
    const tiers: readonly PolicyTier[] = [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }, tier];
    const { engine, statusOf, policiesOf } = setUp({ policy: tiers });
    await policiesOf("acme").put({ tools: { deny: ["mail"] } }, { read: 0, note: "No mail" });
    const all = async () => [
      await statusOf("acme"),
      await statusOf("acme", "mail"),
      await statusOf("other"),
      await statusOf("other", "mail"),
    ];
    expect(await all()).toEqual(["done", "denied", "denied", "done"]);
    engine.setPolicy("full");
    expect(await all()).toEqual(["done", "denied", "done", "done"]);
  });
});

describe("the policy of a tenant", () => {
  it("keeps its versions, says what changed, and goes back", async () => {
    const { statusOf, policiesOf, engine } = setUp();
    const heard: number[] = [];
    const policies = policiesOf("acme");
    engine.onChange(() => heard.push(1));
    await policies.put({ tools: { deny: ["pay", "mail"] } }, { read: 0, note: "Nothing" });
    await policies.put({ tools: { deny: ["mail"] }, rates: { act: "9/h" } }, { read: 1, note: "Payments again" });
    expect(await statusOf("acme")).toBe("done");
    expect(await policies.diff(1, 2)).toEqual([
      { path: "tools.deny", before: "pay" },
      { path: "rates", after: { act: "9/h" } },
    ]);
    expect(await policies.diff(0, 1)).toEqual([{ path: "tools", after: { deny: ["pay", "mail"] } }]);
    expect(await policies.revert(1, { read: 2, note: "Back" })).toMatchObject({ revision: 3, note: "Back", author: { id: "ann" } });
    expect(await statusOf("acme")).toBe("denied");
    expect((await policies.versions()).map(({ revision, note }) => [revision, note])).toEqual([
      [3, "Back"],
      [2, "Payments again"],
      [1, "Nothing"],
    ]);
    expect(await policies.current()).toMatchObject({ revision: 3 });
    expect(heard).toHaveLength(3);
    await expect(policies.revert(9, { read: 3, note: "Back" })).rejects.toMatchObject({ code: "policy_not_found" });
  });

  it.each<readonly [string, JsonObject, RegExp]>([
    ["an unknown member", { tols: {} }, /tols is not a member \(did you mean "tools"\?\)/],
    [
      "a rule whose own test fails",
      { commands: { rules: [{ pattern: "git *", effect: "deny", not_match: ["git status"] }] } },
      /commands\.rules\[0\]/,
    ],
    ["a rule of an agent whose own test fails", agentRule, /agents\[0\]\.commands\.rules\[0\]/],
    ["an agent twice", { agents: [{ id: "a" }, { id: "a" }] }, /already at agents\[0\]/],
    ["a tenant's section, which is the platform's", { tenant: {} }, /tenant is not a member/],
  ])("with %s is refused, and nothing is written", async (_, document, message) => {
    const { policiesOf, statusOf } = setUp();
    const refused = policiesOf("acme").put(document, { read: 0, note: "Try" });
    await expect(refused).rejects.toMatchObject({ code: "policy_invalid", message: expect.stringMatching(message) });
    expect(await policiesOf("acme").versions()).toEqual([]);
    expect(await statusOf("acme")).toBe("done");
  });

  it("is not changed without a note, nor from a revision that is not the newest", async () => {
    const { policiesOf } = setUp();
    await expect(policiesOf("acme").put({}, { read: 0, note: " " })).rejects.toMatchObject({ code: "policy_invalid" });
    await policiesOf("acme").put({}, { read: 0, note: "One" });
    await expect(policiesOf("acme").put({}, { read: 0, note: "Two" })).rejects.toMatchObject({
      code: "policy_conflict",
      message:
        "The policy was changed from revision 0, but the tenant is at revision 1 now. Read it again, make the change there, and put that.",
      details: { read: 0, newest: 1 } satisfies Json,
    });
  });

  it.each([
    ["a person without the permission", { ...person("acme"), permissions: [] }],
    ["an agent", { ...agentOf("acme", "helper"), permissions: [MANAGE_POLICY] }],
    ["a sub-agent of a person who may", { ...person("acme"), delegated: { from: person("acme") } }],
  ])("is neither read nor changed by %s", async (_, principal) => {
    const policies = policiesFor(setUp().engine, principal);
    const tries = [policies.current(), policies.versions(), policies.diff(0, 0), policies.put({}, { read: 0, note: "Try" })];
    for (const attempt of [...tries, policies.revert(0, { read: 0, note: "Try" })])
      await expect(attempt).rejects.toMatchObject({ code: "operation_not_allowed" });
  });

  it("that this process cannot read lets nothing run for its tenant, and the operator hears why once", async () => {
    const policies = createMemoryPolicyStore();
    const author = { kind: "user", id: "ann" } as const;
    await policies.put({ tenant: "acme", document: { of_a_newer_version: true }, author, note: "New", at: 1, read: 0 });
    const logged: string[] = [];
    const { statusOf } = setUp({ policies, logger: { log: (level, message) => void (level === "error" && logged.push(message)) } });
    expect([await statusOf("acme"), await statusOf("acme"), await statusOf("other")]).toEqual(["denied", "denied", "done"]);
    expect(logged).toEqual([expect.stringContaining("The policy of the tenant acme cannot be read here, so its calls are denied.")]);
  });

  it("voids what waits under the one before, and of no other tenant", async () => {
    const { engine, policiesOf } = setUp({ policy: { autonomy: "full", ask: ["pay"] } });
    const waiting = async (tenant: string) => {
      const scope = engine.scope(
        { ...person(tenant), permissions: ["approvals:answer", MANAGE_POLICY], interactive: true },
        { session: "s1" },
      );
      const result = await scope.invokeNamed("pay", {});
      if (result.status !== "pending") throw new Error(result.status);
      await scope.answer(result.approval.id, { kind: "approve" });
      return () => scope.resume(result.approval.id);
    };
    const [acme, other] = [await waiting("acme"), await waiting("other")];
    await policiesOf("acme").put({ tools: { deny: ["mail"] } }, { read: 0, note: "No mail" });
    expect(await acme()).toMatchObject({ status: "failed", error: { code: "approval_void" } });
    expect(await other()).toMatchObject({ status: "done" });
  });
});
