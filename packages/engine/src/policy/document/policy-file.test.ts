import { expect, test } from "vitest";
import { checkPolicyFile, policyFileSchema, tiersOfFile } from "./policy-file.ts";

test("a file holds the platform's document, the tenant's, and one for each agent", () => {
  const checked = checkPolicyFile({
    autonomy: "full",
    tenant: { autonomy: "supervised" },
    agents: [{ id: "a", tools: { deny: ["exec"] } }],
  });
  if (!("file" in checked)) throw new Error("It is valid.");
  expect(tiersOfFile(checked.file)).toEqual([
    { tier: "platform", document: { version: 1, autonomy: "full" } },
    { tier: "tenant", document: { version: 1, autonomy: "supervised" } },
    { tier: "agent", agent: "a", document: { version: 1, tools: { deny: ["exec"] } } },
  ]);
});

test("a rule whose tests fail is found in every tier, unless tests are left out", () => {
  const commands = { rules: [{ pattern: "ls", effect: "allow", match: ["id"] }] };
  const value = { commands, tenant: { commands }, agents: [{ id: "a", commands }] };
  expect(checkPolicyFile(value).problems.map(({ path }) => path.join("."))).toEqual([
    "commands.rules.0",
    "tenant.commands.rules.0",
    "agents.0.commands.rules.0",
  ]);
  expect(checkPolicyFile(value, { untested: true }).problems).toEqual([]);
});

test("the JSON Schema refuses unknown members as the loader does", () => {
  const schema = JSON.stringify(policyFileSchema());
  expect(schema).toContain("http://json-schema.org/draft-07/schema#");
  expect(schema.match(/"additionalProperties":false/g)?.length).toBeGreaterThan(5);
});
