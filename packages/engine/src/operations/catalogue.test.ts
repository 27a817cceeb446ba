import { expect, test } from "vitest";
import { MANAGE_CATALOGUE, MANAGE_POLICY, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemoryCatalogueStore } from "../memory/catalogue-store.ts";
import { createMemoryTenantStore } from "../memory/tenant-store.ts";
import type { AgentFiles } from "../ports/agent-files.ts";
import { silentLogger } from "../ports/logger.ts";

const ann = (...permissions: string[]): Principal => ({
  ...{ tenant: "acme", actor: { kind: "user", id: "ann" }, door: "rest", interactive: true },
  permissions: [MANAGE_CATALOGUE, ...permissions],
});

async function open(agentFiles?: AgentFiles) {
  const tenants = createMemoryTenantStore();
  await tenants.ensure("acme");
  const catalogue = createMemoryCatalogueStore({ tenants });
  const engine = createEngine({ tenants, logger: silentLogger, administration: { catalogue, agentFiles } });
  await engine.operate(ann(), "agents.create", { agent: "coder", limits: { steps: 3, cost: 2 } });
  return engine;
}

test("limits that are not named stay, and those that are named to be cleared are usual again", async () => {
  const { operate } = await open();
  const update = async (changes: object) => (await operate(ann(), "agents.update", { agent: "coder", ...changes })).limits;
  expect(await update({ limits: { tokens: 100 } })).toEqual({ steps: 3, cost: 2, tokens: 100 });
  expect(await update({ limits: { steps: 5 }, clear: ["cost", "steps"] })).toEqual({ steps: 5, tokens: 100 });
  expect(await update({ clear: ["steps", "tokens", "window"] })).toBeUndefined();
  await expect(update({ clear: ["stps"] })).rejects.toMatchObject({ code: "invalid_input" });
});

test("the files of an agent's conversations go with it, and only who runs the server is told where they were", async () => {
  const files: AgentFiles = {
    find: (tenant, agent) => ({ own: [`/w/${tenant}/${agent}`], others: ["/elsewhere"] }),
    remove: (tenant, agent) => [
      { folder: `/w/${tenant}/${agent}`, conversations: 2 },
      { folder: "/v", conversations: 0, problem: "EACCES" },
    ],
  };
  for (const isOperator of [false, true]) {
    const { operate } = await open(files);
    const who = isOperator ? ann(MANAGE_TENANTS) : ann();
    const { folders, left } = await operate(who, "agents.belongings", { agent: "coder" });
    expect([folders, left]).toEqual(isOperator ? [["/w/acme/coder"], ["/elsewhere"]] : [undefined, undefined]);
    const answer = await operate(who, "agents.remove", { agent: "coder" });
    expect(answer).toMatchObject({ agent: "coder", removed: { conversations: 2, tools: 0 } });
    expect(answer.folders).toEqual(isOperator ? files.remove("acme", "coder") : undefined);
    expect(JSON.stringify(answer).includes("/w/")).toBe(isOperator);
  }
});

const described = [
  { id: "coder", limits: { steps: 3 } },
  { id: "writer", tools: { allow: ["file_read"] } },
];

test("agents are made as a document describes them, a dry run writes nothing, and a second time nothing changes", async () => {
  const { operate } = await open();
  const manager = ann(MANAGE_POLICY);
  const first = {
    agents: [
      { agent: "coder", change: "changed", members: ["limits"] },
      { agent: "writer", change: "created", members: [] },
    ],
  };
  expect(await operate(manager, "agents.apply", { agents: described, dryRun: true })).toMatchObject(first);
  expect((await operate(manager, "agents.list", {})).items).toHaveLength(1);
  expect(await operate(manager, "agents.apply", { agents: described, note: "As written" })).toMatchObject({
    ...first,
    policy: { agents: ["writer"], revision: 1 },
  });
  const [coder] = (await operate(manager, "agents.list", {})).items;
  expect(coder?.limits).toEqual({ steps: 3 });
  expect(await operate(manager, "policy.current", {})).toMatchObject({ note: "As written", document: { agents: [{ id: "writer" }] } });
  const again = await operate(manager, "agents.apply", { agents: described });
  expect(again).toEqual({
    dryRun: false,
    agents: ["coder", "writer"].map((agent) => ({ agent, change: "same", members: [] })),
    policy: { agents: [] },
  });
});

test.each([
  ["twice", [{ id: "one" }, { id: "one" }], "catalogue_refused"],
  ["with a name that is none", [{ id: "one" }, { id: "Two!" }], "catalogue_refused"],
  ["with a model that is none", [{ id: "one" }, { id: "two", model: "gpt" }], "catalogue_refused"],
  ["with a skill that there is not", [{ id: "one" }, { id: "two", skills: ["letters"] }], "catalogue_not_found"],
  ["with tools by who may not change the policy", [{ id: "one" }, described[1]], "operation_not_allowed"],
] as const)("agents that are described %s are refused, and none of them is made", async (_, agents, code) => {
  const { operate } = await open();
  await expect(operate(ann(), "agents.apply", { agents: agents as never })).rejects.toMatchObject({ code });
  expect((await operate(ann(), "agents.list", {})).items.map(({ agent }) => agent)).toEqual(["coder"]);
});
