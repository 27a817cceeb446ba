import { expect, it } from "vitest";
import { MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { PlatformPolicy } from "../ports/policy-source.ts";
import { ownSubjects } from "./join-subjects.ts";

const person = (...permissions: readonly string[]): Principal => ({
  ...{ tenant: "acme", actor: { kind: "user", id: "ann" }, permissions, door: "rest" },
});

it("the tests of a document's rules are run, those that fail with the reason, and nothing is put in force", async () => {
  const { operate } = createEngine();
  const failing = { pattern: "git *", effect: "deny", not_match: ["git status"] };
  const document = {
    commands: { rules: [{ pattern: "npm test", effect: "allow", match: ["npm test"] }] },
    agents: [{ id: "coder", commands: { rules: [failing] } }],
  };
  const found = await operate(person(MANAGE_POLICY), "policy.test", { document });
  expect(found.items).toEqual([
    {
      path: ["commands", "rules", 0],
      pattern: "npm test",
      effect: "allow",
      tests: [{ line: "npm test", expected: "match", passed: true }],
    },
    {
      path: ["agents", 0, "commands", "rules", 0],
      ...{ pattern: "git *", effect: "deny", tests: [{ line: "git status", expected: "not_match", passed: false }] },
      problem: expect.stringContaining('it matches "git status"'),
    },
  ]);
  expect((await ownSubjects.load("policy.test")).output.parse(JSON.parse(JSON.stringify(found)))).toMatchObject({ ok: true });
  await expect(operate(person(MANAGE_POLICY), "policy.test", { document: { tols: {} } })).rejects.toMatchObject({ code: "policy_invalid" });
  await expect(operate(person(), "policy.test", { document })).rejects.toMatchObject({ code: "operation_not_allowed" });
});

it("what a policy file of a server says is tested and checked as such, and not what it would be for a tenant", async () => {
  const { operate } = createEngine();
  const manager = person(MANAGE_POLICY);
  const rule = { pattern: "npm test", effect: "allow", match: ["npm test"], not_match: ["npm publish"] };
  const document = { commands: { rules: [rule] }, tenant: { commands: { rules: [rule] } }, agents: [{ id: "coder" }] };
  const { items } = await operate(manager, "policy.test", { document, ofFile: true });
  expect(items.map(({ path }) => path)).toEqual([
    ["commands", "rules", 0],
    ["tenant", "commands", "rules", 0],
  ]);
  const checked = await operate(manager, "policy.check", { document, ofFile: true });
  expect(checked).toEqual({ rules: 2, tests: 4, agents: ["coder"], revision: expect.stringMatching(/^[0-9a-f]{64}$/) });
  const { tenant: _, ...own } = document;
  expect(await operate(manager, "policy.check", { document: own })).toMatchObject({ rules: 1, tests: 2, agents: ["coder"] });
  const failing = { ...document, tenant: { commands: { rules: [{ ...rule, match: ["npm publish"] }] } } };
  for (const [refused, place] of [
    [{ document }, "tenant"],
    [{ document: failing, ofFile: true }, "tenant.commands.rules[0]"],
    [{ document: { ...document, agents: [{ id: "a" }, { id: "a" }] }, ofFile: true }, "agents[1]"],
  ] as const)
    await expect(operate(manager, "policy.check", refused)).rejects.toMatchObject({
      code: "policy_invalid",
      details: { problems: [{ path: expect.stringContaining(place) }] },
    });
});

it("the schema names the members of a tenant's policy and its agents, not those of the platform's file alone", async () => {
  const { schema } = await createEngine().operate(person(MANAGE_POLICY), "policy.schema", {});
  expect(schema).toMatchObject({ properties: { autonomy: {}, agents: { type: "array" } } });
  expect(Object.values(schema.definitions as object)).toContainEqual({ type: "string", enum: ["read_only", "supervised", "full"] });
  expect(Object.keys(schema.properties as object)).not.toContain("include");
  const { schema: ofFile } = await createEngine().operate(person(MANAGE_POLICY), "policy.schema", { ofFile: true });
  expect(Object.keys(ofFile.properties as object)).toContain("include");
});

it("the platform's policy and its files are told to whoever runs the server, and to nobody of a tenant", async () => {
  const current: PlatformPolicy = { document: { autonomy: "full" }, files: [{ path: "/etc/policy.yaml", text: "autonomy: full\n" }] };
  const { operate } = createEngine({ administration: { policySource: { current: () => current } } });
  expect(await operate(person(MANAGE_TENANTS), "policy.platform", {})).toEqual(current);
  await expect(operate(person(MANAGE_POLICY), "policy.platform", {})).rejects.toMatchObject({ code: "operation_not_allowed" });
  await expect(createEngine().operate(person(MANAGE_TENANTS), "policy.platform", {})).rejects.toMatchObject({
    code: "operation_unavailable",
  });
});
