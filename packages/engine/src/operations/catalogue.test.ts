import { expect, test } from "vitest";
import { MANAGE_CATALOGUE, MANAGE_TENANTS } from "../contract/permissions.ts";
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
