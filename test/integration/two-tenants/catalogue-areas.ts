import type { TypedScope } from "@toolwright/engine";
import { type TenantTool, type ToolOverride, toCodeTools } from "@toolwright/engine/catalogue";
import type { Area } from "./area.ts";
import type { World } from "./open-world.ts";

const authorOf = ({ engine }: World, tenant: string) => ({ tenant, by: "ann", code: toCodeTools(engine.snapshot()) });

const agents: Area = {
  make: ({ store }, tenant, agent) =>
    store.catalogue.agents.create(tenant, { agent, name: "Helper", features: { memory: false }, restricted: true, acceptsAgents: true }, [
      "pay",
    ]),
  look: async ({ store }, tenant, agent) => [
    (await store.catalogue.agents.list(tenant)).find((each) => each.agent === agent),
    await store.catalogue.enablement.listForAgent(tenant, agent),
    (await store.catalogue.skills.list(tenant)).filter((each) => each.agents.includes(agent)),
  ],
  byId: {
    "store.catalogue.agents.create": ({ store }, tenant, agent) =>
      store.catalogue.agents.create(tenant, { agent, name: "Spy", features: {}, restricted: false, acceptsAgents: false }),
    "store.catalogue.agents.change": ({ store }, tenant, agent) => store.catalogue.agents.change(tenant, agent, { name: "Spy" }),
    "store.catalogue.agents.belongings": ({ store }, tenant, agent) => store.catalogue.agents.belongings(tenant, agent, Date.now()),
    "store.catalogue.agents.remove": ({ store }, tenant, agent) =>
      store.catalogue.agents.remove(tenant, agent, { by: { kind: "user", id: "bob" }, at: Date.now() }),
    "store.catalogue.enablement.setForAgent": ({ store }, tenant, agent) =>
      store.catalogue.enablement.setForAgent({ tenant, agent }, ["pay"], false),
    "store.catalogue.enablement.listForAgent": ({ store }, tenant, agent) => store.catalogue.enablement.listForAgent(tenant, agent),
    "store.catalogue.skills.setForAgent (to an agent)": ({ store }, tenant, agent) =>
      store.catalogue.skills.setForAgent({ tenant, agent, skill: "shared" }, true),
    "operations.agents.get": ({ operateOf }, tenant, agent) => operateOf(tenant)("agents.get", { agent }),
    "operations.agents.create": ({ operateOf }, tenant, agent) => operateOf(tenant)("agents.create", { agent, name: "Spy" }),
    "operations.agents.update": ({ operateOf }, tenant, agent) => operateOf(tenant)("agents.update", { agent, name: "Spy" }),
    "operations.agents.apply": ({ operateOf }, tenant, agent) =>
      operateOf(tenant)("agents.apply", { agents: [{ id: agent, name: "Spy" }] }),
    "operations.agents.belongings": ({ operateOf }, tenant, agent) => operateOf(tenant)("agents.belongings", { agent }),
    "operations.agents.remove": ({ operateOf }, tenant, agent) => operateOf(tenant)("agents.remove", { agent }),
    "operations.enablement.set": ({ operateOf }, tenant, agent) =>
      operateOf(tenant)("enablement.set", { agent, tools: ["pay"], enabled: false }),
    "operations.enablement.list": ({ operateOf }, tenant, agent) => operateOf(tenant)("enablement.list", { agent }),
    "operations.skills.assign (to an agent)": ({ operateOf }, tenant, agent) =>
      operateOf(tenant)("skills.assign", { agent, skill: "shared", enabled: true }),
    "store.catalogue.visibility.agentTools": ({ store }, tenant, agent) => store.catalogue.visibility.agentTools(tenant, agent),
    "store.catalogue.visibility.agentTool": ({ store }, tenant, agent) => store.catalogue.visibility.agentTool?.(tenant, agent, "pay"),
    "store.catalogue.visibility.agentFeature": ({ store }, tenant, agent) =>
      store.catalogue.visibility.agentFeature?.(tenant, agent, "memory"),
    "store.catalogue.visibility.acceptsAgentChannel": ({ store }, tenant, agent) =>
      store.catalogue.visibility.acceptsAgentChannel(tenant, agent),
  },
  lists: {
    "store.catalogue.agents.list": ({ store }, tenant) => store.catalogue.agents.list(tenant),
    "store.catalogue.visibility.agents": ({ store }, tenant) => store.catalogue.visibility.agents?.(tenant),
    "operations.agents.list": ({ operateOf }, tenant) => operateOf(tenant)("agents.list", {}),
  },
};

const skillOf = (skill: string, title: string) => ({ skill, title, instructions: "Pay.", tools: ["pay"] });

const skills: Area = {
  make: ({ store }, tenant, skill) => store.catalogue.skills.create(tenant, skillOf(skill, "Paying")),
  look: async ({ store }, tenant, skill) => (await store.catalogue.skills.list(tenant)).find((each) => each.skill === skill),
  byId: {
    "store.catalogue.skills.create": ({ store }, tenant, skill) => store.catalogue.skills.create(tenant, skillOf(skill, "Spying")),
    "store.catalogue.skills.change": ({ store }, tenant, skill) => store.catalogue.skills.change(tenant, skill, { title: "Spying" }),
    "store.catalogue.skills.remove": ({ store }, tenant, skill) => store.catalogue.skills.remove(tenant, skill),
    "operations.skills.get": ({ operateOf }, tenant, skill) => operateOf(tenant)("skills.get", { skill }),
    "operations.skills.create": ({ operateOf }, tenant, skill) => operateOf(tenant)("skills.create", skillOf(skill, "Spying")),
    "operations.skills.update": ({ operateOf }, tenant, skill) => operateOf(tenant)("skills.update", { skill, title: "Spying" }),
    "operations.skills.remove": ({ operateOf }, tenant, skill) => operateOf(tenant)("skills.remove", { skill }),
    "operations.skills.assign (a skill)": ({ operateOf }, tenant, skill) =>
      operateOf(tenant)("skills.assign", { agent: "shared", skill, enabled: true }),
    "store.catalogue.skills.setForAgent (a skill)": ({ store }, tenant, skill) =>
      store.catalogue.skills.setForAgent({ tenant, agent: "shared", skill }, true),
  },
  lists: {
    "store.catalogue.skills.list": ({ store }, tenant) => store.catalogue.skills.list(tenant),
    "operations.skills.list": ({ operateOf }, tenant) => operateOf(tenant)("skills.list", {}),
  },
};

const schema = { type: "object", properties: { euros: { type: "number" } }, required: ["euros"], additionalProperties: false } as const;
const toolOf = (tool: string, title: string): TenantTool => ({
  ...{ tool, title, group: "sales", description: "Makes a quote.", inputSchema: schema, outputSchema: schema },
  ...{ approval: "auto", execution: { kind: "prompt" } },
});

type AnyTypes = Record<string, { readonly input: unknown; readonly output: unknown }>;

const tools: Area = {
  make: (world, tenant, name) => world.store.catalogue.tools.putOwn(authorOf(world, tenant), toolOf(name, "Quote")),
  look: ({ store }, tenant, name) => [
    store.catalogue.tenantTools.of(tenant)?.custom.find(({ tool }) => tool === name),
    store.catalogue.visibility.tenantRow(tenant, name),
  ],
  byId: {
    "store.catalogue.tools.putOwn": (world, tenant, name) =>
      world.store.catalogue.tools.putOwn(authorOf(world, tenant), toolOf(name, "Spy")),
    "store.catalogue.tools.removeOwn": ({ store }, tenant, name) => store.catalogue.tools.removeOwn(tenant, name),
    "store.catalogue.tools.versions": ({ store }, tenant, name) => store.catalogue.tools.versions(tenant, name),
    "store.catalogue.enablement.setForTenant": ({ store }, tenant, name) => store.catalogue.enablement.setForTenant(tenant, [name], false),
    "operations.enablement.set (for the tenant)": ({ operateOf }, tenant, name) =>
      operateOf(tenant)("enablement.set", { tools: [name], enabled: false }),
    "operations.tools.get": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.get", { name }),
    "operations.tools.inspect": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.inspect", { tool: name }),
    "operations.tools.put": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.put", toolOf(name, "Spy")),
    "operations.tools.remove": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.remove", { tool: name }),
    "operations.tools.versions": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.versions", { tool: name }),
    "operations.tools.schema": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.schema", { name, target: "openai" }),
    "operations.tools.report": ({ operateOf }, tenant, name) => operateOf(tenant)("tools.report", { name }),
    "operations.policy.why": ({ operateOf }, tenant, name) => operateOf(tenant)("policy.why", { tool: name, input: {} }),
    "operations.grants.create": ({ operateOf }, tenant, tool) =>
      operateOf(tenant)("grants.create", { tool, scope: "tenant", allows: [{ kind: "input", digest: "d" }] }),
    "scope.find": ({ scopeOf }, tenant, name) => scopeOf(tenant).find(name),
    "scope.why": ({ scopeOf }, tenant, name) => scopeOf(tenant).why(name, {}),
    "scope.explain": ({ scopeOf }, tenant, name) => scopeOf(tenant).explain(name, {}),
    "scope.invoke": ({ scopeOf }, tenant, name) => (scopeOf(tenant) as TypedScope<AnyTypes>).invoke(name, {}),
    "scope.invokeNamed": ({ scopeOf }, tenant, name) => scopeOf(tenant).invokeNamed(name, {}),
    "scope.judge": ({ scopeOf }, tenant, name) => scopeOf(tenant).judge(name, {}, { callId: "elsewhere" }),
    "scope.prepare": ({ scopeOf }, tenant, name) => scopeOf(tenant).prepare(name, {}, { key: "k" }),
    "scope.grant": ({ scopeOf }, tenant, tool) =>
      scopeOf(tenant).grant({ tool, scope: "tenant", allows: [{ kind: "input", digest: "d" }] }),
  },
  lists: {
    "scope.list": ({ scopeOf }, tenant) => scopeOf(tenant).list(),
    "operations.tools.survey": ({ operateOf }, tenant) => operateOf(tenant)("tools.survey", {}),
    "operations.tools.own": ({ operateOf }, tenant) => operateOf(tenant)("tools.own", {}),
    "operations.tools.search": ({ operateOf }, tenant) => operateOf(tenant)("tools.search", { query: "make a quote", limit: 50 }),
    "operations.tools.list": ({ operateOf }, tenant) => operateOf(tenant)("tools.list", {}),
    "scope.survey": ({ scopeOf }, tenant) => scopeOf(tenant).survey(),
    "store.catalogue.tenantTools.of": ({ store }, tenant) => store.catalogue.tenantTools.of(tenant),
    "store.catalogue.tools.rows": ({ store }, tenant) => store.catalogue.tools.rows(tenant),
  },
};

const tenantRows: Area = {
  make: ({ store }, tenant, tool) => store.catalogue.enablement.setForTenant(tenant, [tool], false),
  look: ({ store }, tenant, tool) => store.catalogue.visibility.tenantRow(tenant, tool),
  byId: {
    "store.catalogue.visibility.tenantRow": ({ store }, tenant, tool) => store.catalogue.visibility.tenantRow(tenant, tool),
  },
};

/** There is one for each tool of code, so both tenants speak of the same tool. */
const overrides: Area = {
  make: (world, tenant, title) => world.store.catalogue.tools.putOverride(authorOf(world, tenant), { tool: "pay", title }),
  look: ({ store }, tenant) => store.catalogue.tenantTools.of(tenant)?.overrides,
  lists: {
    "operations.overrides.list": ({ operateOf }, tenant) => operateOf(tenant)("overrides.list", {}),
    "operations.overrides.remove": ({ operateOf }, tenant) => operateOf(tenant)("overrides.remove", { tool: "pay" }),
    "operations.overrides.update": async ({ operateOf }, tenant) =>
      (await operateOf(tenant)("overrides.update", { tool: "pay", description: "Spied." })).title,
    "operations.overrides.set": ({ operateOf }, tenant) => operateOf(tenant)("overrides.set", { tool: "pay", title: "Spied" }),
    "store.catalogue.tools.removeOverride": ({ store }, tenant) => store.catalogue.tools.removeOverride(tenant, "pay"),
    "store.catalogue.tools.changeOverride": async (world, tenant) => {
      const change = (current: ToolOverride) => ({ ...current, description: "Spied." });
      return (await world.store.catalogue.tools.changeOverride(authorOf(world, tenant), "pay", change)).title;
    },
    "store.catalogue.tools.putOverride": (world, tenant) =>
      world.store.catalogue.tools.putOverride(authorOf(world, tenant), { tool: "pay", title: "Spied" }),
  },
};

export const catalogueAreas: readonly Area[] = [agents, skills, tools, tenantRows, overrides];
