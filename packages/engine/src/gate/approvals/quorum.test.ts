import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Catalogue } from "../../catalogue/catalogue.ts";
import { createToolSearch } from "../../catalogue/search/search-tools.ts";
import type { Finding, Quorum } from "../../contract/decision.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createMemoryApprovalStore } from "../../memory/approval-store.ts";
import { createMemoryArtifactStore } from "../../memory/artifact-store.ts";
import { createMemoryCallTree } from "../../memory/call-tree.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { createMemoryForeignMarks } from "../../memory/foreign-marks.ts";
import { createMemoryGrantStore } from "../../memory/grant-store.ts";
import { createMemoryIdempotencyStore } from "../../memory/idempotency-store.ts";
import { createMemoryLimiter } from "../../memory/limiter.ts";
import { createMemoryPolicyStore } from "../../memory/policy-store.ts";
import { createMemoryTenantKeys } from "../../memory/seal-keys.ts";
import { createMemorySecretStore } from "../../memory/secret-store.ts";
import { compilePolicy, type Policy } from "../../policy/compile-policy.ts";
import { createRandomIds } from "../../ports/ids.ts";
import { silentLogger } from "../../ports/logger.ts";
import { everyTenant } from "../../ports/tenant-store.ts";
import { everythingEnabled } from "../../ports/visibility-facts.ts";
import { createScope } from "../../scope.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";
import { SessionGaps } from "../notes/note-result.ts";
import { Sealer } from "../sealed/sealer.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const makePerson = (id: string, ...permissions: string[]): Principal => ({
  tenant: "acme",
  actor: { kind: "user", id },
  permissions: [ANSWER_APPROVALS, ...permissions],
  door: "cli",
  interactive: true,
});

/** A policy that says more of what it asks about, as a rule of a document would. */
function withAsking(policy: Policy, more: Pick<Finding, "quorum" | "grantable">): Policy {
  return {
    ...policy,
    forPrincipal: () => withAsking(policy, more),
    decide(...args) {
      const decision = policy.decide(...args);
      return { ...decision, findings: decision.findings.map((finding) => (finding.effect === "ask" ? { ...finding, ...more } : finding)) };
    },
  };
}

function setUp(quorum?: Quorum) {
  const run = vi.fn(() => ({ ok: true }));
  const tool = defineTool({
    name: "deploy",
    description: "Deploys a release.",
    input: z.object({}),
    output: z.object({ ok: z.boolean() }),
    effects: { destructive: true },
    run,
  }) as AnyTool;
  const catalogue = new Catalogue({ environment: new Set(), capabilities: new Set(), warn: () => {} });
  catalogue.register([tool], { kind: "builtin", source: "test" });
  const rules = { policy: withAsking(compilePolicy([]), { ...(quorum && { quorum }) }) };
  const clock = createManualClock();
  const parts = {
    snapshot: () => catalogue.snapshot,
    policy: () => rules.policy,
    draftPolicy: () => rules.policy,
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
    capabilities: new Map(),
    approvals: createMemoryApprovalStore(),
    grants: createMemoryGrantStore(),
    foreign: createMemoryForeignMarks(),
    events: createMemoryEventLog(),
    artifacts: createMemoryArtifactStore(),
    secrets: createMemorySecretStore(),
    limiter: createMemoryLimiter(),
    idempotency: createMemoryIdempotencyStore(),
    tenants: everyTenant,
    sessions: sharedSessions(),
    policies: createMemoryPolicyStore(),
    visibility: everythingEnabled,
    searchTools: createToolSearch({ logger: silentLogger }),
    clock,
    ids: createRandomIds(),
    logger: silentLogger,
    locateRule: () => undefined,
    reportedGaps: new SessionGaps(clock),
    sealer: new Sealer(createMemoryTenantKeys()),
    callTree: createMemoryCallTree({ approvals: createMemoryApprovalStore() }),
    passPart: () => Promise.reject(new Error("No tool here calls another.")),
    approvalTtlMs: 60_000,
    maxArtifactBytes: 1_000,
  };
  const scopeOf = (principal: Principal) => createScope(principal, "s1", parts);
  const ask = async (principal = agent) => {
    const result = await scopeOf(principal).invokeNamed("deploy", {});
    if (result.status !== "pending") throw new Error(JSON.stringify(result));
    return result.approval.id;
  };
  const forbidGrants = () => {
    rules.policy = withAsking(compilePolicy([]), { grantable: false });
  };
  return { run, scopeOf, ask, forbidGrants };
}

describe("a call that several people have to say yes to", () => {
  it("waits for as many distinct people as the policy demands", async () => {
    const { scopeOf, ask, run } = setUp({ approvers: 2 });
    const id = await ask();
    await scopeOf(makePerson("ann")).answer(id, { kind: "approve" });
    expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "pending" });
    await expect(scopeOf(makePerson("ann")).answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_already_answered" });
    await scopeOf(makePerson("bob")).answer(id, { kind: "approve" });
    const results = await Promise.all(Array.from({ length: 20 }, () => scopeOf(agent).resume(id)));
    expect(results.filter(({ status }) => status === "done")).toHaveLength(1);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it("ends with the first no", async () => {
    const { scopeOf, ask, run } = setUp({ approvers: 3 });
    const id = await ask();
    await scopeOf(makePerson("ann")).answer(id, { kind: "approve" });
    await scopeOf(makePerson("bob")).answer(id, { kind: "deny", message: "No." });
    expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "denied", message: "No." });
    await expect(scopeOf(makePerson("cem")).answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_already_answered" });
    expect(run).not.toHaveBeenCalled();
  });

  it("counts only people with the permission that the policy demands", async () => {
    const { scopeOf, ask } = setUp({ approvers: 1, permission: "deploy:approve" });
    const id = await ask();
    await expect(scopeOf(makePerson("ann")).answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_not_allowed" });
    await scopeOf(makePerson("bob", "deploy:approve")).answer(id, { kind: "approve" });
    expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "done" });
  });

  it("counts nobody who asked, where the policy says so", async () => {
    const { scopeOf, ask } = setUp({ approvers: 1, notRequester: true });
    const ann = makePerson("ann");
    const id = await ask(ann);
    await expect(scopeOf(ann).answer(id, { kind: "approve" })).rejects.toMatchObject({ code: "approval_not_allowed" });
    await scopeOf(makePerson("bob")).answer(id, { kind: "approve" });
    expect(await scopeOf(ann).resume(id)).toMatchObject({ status: "done" });
  });

  it.each([
    ["run with another input", { kind: "edit", input: {} }, "approval_not_allowed"],
    ["remembered", { kind: "approve", remember: { scope: "agent" } }, "grant_refused"],
  ] as const)("cannot be %s", async (_, outcome, code) => {
    const { scopeOf, ask } = setUp({ approvers: 2 });
    const id = await ask();
    await expect(scopeOf(makePerson("ann")).answer(id, outcome)).rejects.toMatchObject({ code });
  });
});

it("a grant does not outlive a policy that lets nothing stand for a person", async () => {
  const { scopeOf, ask, forbidGrants } = setUp();
  await scopeOf(makePerson("ann")).answer(await ask(), { kind: "approve", remember: { scope: "tenant" } });
  expect((await scopeOf(agent).invokeNamed("deploy", {})).status).toBe("done");
  forbidGrants();
  const id = await ask();
  await expect(scopeOf(makePerson("ann")).answer(id, { kind: "approve", remember: { scope: "tenant" } })).rejects.toMatchObject({
    code: "grant_refused",
  });
});
