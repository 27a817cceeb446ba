import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ANSWER_APPROVALS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { sharedSessions } from "../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../tool/define-tool.ts";
import { compilePolicy, type PolicyTier, type ToolFacts } from "./compile-policy.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";
import { findUngrantable } from "./grants/grant-coverage.ts";
import { policyOf } from "./policies-in-force.ts";

const facts = { sandbox: { available: true, detail: "test" } };
const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const deploy: ToolFacts = { name: "deploy", group: "release", effects: {}, approval: "auto" };

const tier = (name: PolicyTier["tier"], document: object, forAgent?: string): PolicyTier => ({
  tier: name,
  document: parsePolicyDocument({ version: 1, ...document }),
  ...(forAgent !== undefined && { agent: forAgent }),
});
const asks = { tools: { ask: ["deploy"] } };
const decide = (...documents: PolicyTier[]) => compilePolicy(documents).decide(deploy, [], facts, agent);
const demandsOf = (...documents: PolicyTier[]) =>
  decide(...documents).findings.flatMap(({ rule, quorum, grantable }) =>
    quorum || grantable === false ? [{ rule, ...(quorum && { quorum }), ...(grantable === false && { grantable }) }] : [],
  );

describe("what a document demands of an approval", () => {
  test("two approvers are a finding of the call that asks, and of the listing", () => {
    const document = tier("platform", { ...asks, approvals: { quorum: [{ approvers: 2 }] } });
    const demand = { effect: "ask", rule: "approvals.quorum[0]", quorum: { approvers: 2 } };
    expect(decide(document)).toMatchObject({ effect: "ask", rule: "tools.ask[0]" });
    expect(decide(document).findings).toContainEqual(expect.objectContaining(demand));
    expect(compilePolicy([document]).decideTool(deploy).findings).toContainEqual(expect.objectContaining(demand));
  });

  test.each([
    ["the tool's name", { tools: ["deploy"], approvers: 2 }, [{ approvers: 2 }]],
    ["its group", { tools: ["group:release"], approvers: 2 }, [{ approvers: 2 }]],
    ["another tool", { tools: ["pay", "group:money"], approvers: 2 }, []],
    [
      "a permission and others than who asked",
      { approvers: 1, permission: "deploy:approve", not_requester: true },
      [{ approvers: 1, permission: "deploy:approve", notRequester: true }],
    ],
  ])("a rule that names %s", (_name, rule, quorums) => {
    const demands = demandsOf(tier("platform", { ...asks, approvals: { quorum: [rule] } }));
    expect(demands.map(({ quorum }) => quorum)).toEqual(quorums);
  });

  test("a call that runs unasked, and one that is denied, are none the stricter", () => {
    const approvals = { grants: false, quorum: [{ approvers: 3 }] };
    for (const [document, effect] of [
      [{ approvals }, "allow"],
      [{ approvals, tools: { deny: ["deploy"] } }, "deny"],
    ] as const) {
      const policy = compilePolicy([tier("platform", document)]);
      for (const decision of [policy.decide(deploy, [], facts, agent), policy.decideTool(deploy)]) {
        expect(decision.effect).toBe(effect);
        expect(decision.findings.some(({ quorum, grantable }) => quorum || grantable === false)).toBe(false);
      }
    }
  });

  test("grants: false lets nothing stand for a person", () => {
    const decision = decide(tier("platform", { ...asks, approvals: { grants: false } }));
    expect(decision.findings).toContainEqual(expect.objectContaining({ effect: "ask", rule: "approvals.grants", grantable: false }));
    expect(findUngrantable({ tool: deploy, decision })).toMatch(/nothing stand for a person/);
    expect(findUngrantable({ tool: deploy, decision: decide(tier("platform", asks)) })).toBeUndefined();
  });

  test("what asks because of a reach is demanded of, too", () => {
    const http: ToolFacts = { ...deploy, effects: { http: "write" } };
    const reach = { kind: "request", url: "https://api.example.org/x", method: "POST" } as const;
    const policy = compilePolicy([tier("platform", { approvals: { quorum: [{ approvers: 2 }] } })]);
    const decision = policy.decide(http, [reach], facts, agent);
    expect(decision).toMatchObject({ effect: "ask", layer: "resource" });
    expect(decision.findings.at(-1)).toMatchObject({ rule: "approvals.quorum[0]" });
  });
});

describe("a lower tier only adds", () => {
  const platform = tier("platform", { ...asks, approvals: { grants: false, quorum: [{ approvers: 3, not_requester: true }] } });
  const above = [
    { rule: "platform.approvals.quorum[0]", quorum: { approvers: 3, notRequester: true } },
    { rule: "platform.approvals.grants", grantable: false },
  ];

  test("it neither lowers a number nor opens grants", () => {
    const tenant = tier("tenant", { approvals: { grants: true, quorum: [{ approvers: 1, permission: "release", not_requester: false }] } });
    expect(demandsOf(platform, tenant)).toEqual([
      ...above,
      { rule: "tenant.approvals.quorum[0]", quorum: { approvers: 1, permission: "release" } },
    ]);
  });

  test("what it demands holds beside a tier that demands nothing", () => {
    const tenant = tier("tenant", { approvals: { grants: false, quorum: [{ approvers: 2 }] } });
    expect(demandsOf(tier("platform", asks), tenant).map(({ rule }) => rule)).toEqual([
      "tenant.approvals.quorum[0]",
      "tenant.approvals.grants",
    ]);
  });

  test("what is demanded of an agent is demanded of its sub-agent, whoever's rule asks", () => {
    const documents = [
      tier("platform", {}),
      tier("agent", { approvals: { quorum: [{ approvers: 2 }] } }, "helper"),
      tier("agent", asks, "child"),
    ];
    const child: Principal = { ...agent, actor: { kind: "agent", id: "child" }, agent: "child", delegated: { from: agent } };
    const decision = policyOf(compilePolicy(documents), child).decide(deploy, [], facts, child);
    expect(decision.effect).toBe("ask");
    expect(decision.findings.filter(({ quorum }) => quorum)).toMatchObject([{ rule: "agents.helper.approvals.quorum[0]" }]);
  });
});

test.each([
  ["an unknown member", { grant: false }, /approvals\.grant .*"grants"/],
  ["an unknown member of a quorum", { quorum: [{ approvers: 2, aprovers: 3 }] }, /approvals\.quorum\[0\]\.aprovers .*"approvers"/],
  ["a quorum without a number", { quorum: [{ tools: ["deploy"] }] }, /approvals\.quorum\[0\]\.approvers/],
  ["nobody", { quorum: [{ approvers: 0 }] }, /approvals\.quorum\[0\]\.approvers/],
  ["more people than ten", { quorum: [{ approvers: 11 }] }, /approvals\.quorum\[0\]\.approvers/],
  ["an empty list of tools", { quorum: [{ approvers: 2, tools: [] }] }, /approvals\.quorum\[0\]\.tools/],
])("%s is refused", (_name, approvals, message) => {
  expect(() => parsePolicyDocument({ version: 1, approvals })).toThrow(
    expect.objectContaining({ code: "policy_invalid", message: expect.stringMatching(message) }),
  );
});

test("a tool that asks for two people runs after both said yes, and not after one", async () => {
  const run = vi.fn(() => ({ ok: true }));
  const tool = defineTool({
    name: "deploy",
    description: "Deploys a release.",
    input: z.object({}),
    output: z.object({ ok: z.boolean() }),
    effects: {},
    run,
  }) as AnyTool;
  const document = tier("platform", { ...asks, approvals: { quorum: [{ tools: ["deploy"], approvers: 2 }] } });
  const engine = createEngine({ tools: [tool], policy: [document], sessions: sharedSessions() });
  const scopeOf = (principal: Principal) => engine.scope(principal, { session: "s1" });
  const makePerson = (id: string): Principal => ({
    tenant: "acme",
    actor: { kind: "user", id },
    permissions: [ANSWER_APPROVALS],
    door: "cli",
    interactive: true,
  });
  const waiting = await scopeOf(agent).invokeNamed("deploy", {});
  if (waiting.status !== "pending") throw new Error(JSON.stringify(waiting));
  const { id } = waiting.approval;
  await scopeOf(makePerson("ann")).answer(id, { kind: "approve" });
  expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "pending" });
  expect(run).not.toHaveBeenCalled();
  await scopeOf(makePerson("bob")).answer(id, { kind: "approve" });
  expect(await scopeOf(agent).resume(id)).toMatchObject({ status: "done", output: { ok: true } });
  expect(run).toHaveBeenCalledTimes(1);
});

describe("a rule for a command that asks", () => {
  const exec: ToolFacts = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" };
  const rules = (...list: object[]) => tier("platform", { commands: { rules: list } });
  const decideCommand = (command: string, ...documents: PolicyTier[]) =>
    compilePolicy(documents).decide(exec, [{ kind: "command", command }], facts, agent);

  test("says how many have to approve that command, and no other", () => {
    const document = rules({
      pattern: "npm publish *",
      effect: "ask",
      quorum: { approvers: 2, permission: "release", not_requester: true },
    });
    const quorum = { approvers: 2, permission: "release", notRequester: true };
    expect(decideCommand("npm publish --dry-run", document).findings).toContainEqual(
      expect.objectContaining({ rule: "commands.rules[0]", quorum }),
    );
    expect(decideCommand("npm test", document).findings.filter((finding) => finding.quorum)).toEqual([]);
  });

  test("is refused when it does not ask, and when it has unknown members", () => {
    const allowing = rules({ pattern: "npm publish *", effect: "allow", quorum: { approvers: 2 } });
    expect(() => compilePolicy([allowing])).toThrow(/commands\.rules\[0\]: only a rule that asks can demand approvers/);
    expect(() => rules({ pattern: "npm publish *", effect: "ask", quorum: { aprovers: 2 } })).toThrow(/approvers/);
  });
});
