import { z } from "zod";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { settingsOf } from "../ports/agent-settings.ts";
import { toolOfRow } from "../ports/agent-tool-name.ts";
import { catalogueMissing } from "../ports/catalogue-store.ts";
import { agentLimits } from "./agent-limits.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf } from "./json-parts.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: ["catalogue"] } as const;
const needs = "Needs the permission catalogue:manage.";

const agent = z.object({
  agent: z.string(),
  name: z.string(),
  features: z.record(z.string(), z.boolean()),
  restricted: z.boolean().describe("True: it has the tools that its rows enable, and no other"),
  acceptsAgents: z.boolean().describe("True: other agents may call it"),
  instructions: z.string().optional().describe("Markdown that requests of its turns begin with; without it the usual words"),
  model: z.string().optional().describe("provider/name; without it the server's usual one"),
  limits: agentLimits.optional(),
});

const agentName = z.string().min(1).describe("Name of the agent");
const agentChanges = {
  name: z.string().optional(),
  features: z.record(z.string(), z.boolean()).optional().describe("Features that are not named stay as they are"),
  restricted: z.boolean().optional(),
  acceptsAgents: z.boolean().optional(),
  instructions: z.string().optional().describe("Markdown of at most 100000 characters; an empty text takes it back"),
  model: z.string().optional().describe("provider/name; an empty text takes it back"),
  limits: agentLimits.optional(),
};

export const listAgents = defineOperation({
  name: "agents.list",
  at: "GET /agents",
  title: "List agents",
  description: `Lists the agents of the tenant. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(agent),
  run: async (_, { principal, ports }) => ({ items: await ports.catalogue.agents.list(principal.tenant) }),
});

export const createAgent = defineOperation({
  name: "agents.create",
  at: "POST /agents",
  status: 201,
  title: "Create an agent",
  description: `Makes an agent, with the tools that it is made with. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName, ...agentChanges, tools: z.array(z.string()).optional() }),
  output: agent,
  async run({ tools = [], agent: made, ...rest }, { principal, ports }) {
    const { name = made, features = {}, restricted = false, acceptsAgents = false, instructions, model, limits: wantedLimits } = rest;
    const settings = settingsOf({ instructions, model, limits: wantedLimits });
    const wanted = { agent: made, name, features, restricted, acceptsAgents, ...settings };
    await ports.catalogue.agents.create(principal.tenant, wanted, tools.map(toolOfRow));
    return wanted;
  },
});

export const updateAgent = defineOperation({
  name: "agents.update",
  at: "PATCH /agents/{agent}",
  title: "Update an agent",
  description: `Changes what is named of an agent. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName, ...agentChanges }),
  output: agent,
  async run({ agent: named, ...changes }, { principal: { tenant }, ports: { catalogue } }) {
    const said = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await catalogue.agents.change(tenant, named, said);
    const found = (await catalogue.agents.list(tenant)).find((each) => each.agent === named);
    if (!found) throw catalogueMissing("agent", named);
    return found;
  },
});

const belongings = z.object({
  schedules: z.array(z.string()),
  hooks: z.array(z.string()),
  jobs: z.array(z.string()),
  keys: z.array(z.string()),
  grants: z.array(z.string()),
  approvals: z.array(z.string()),
  turns: z.array(z.string()),
  rooms: z.array(z.string()).describe("Ids of rooms in which it works: they stay, and their events go to people"),
  secrets: z.int(),
  memories: z.int().describe("Entries that it remembers"),
  tools: z.int(),
  skills: z.int(),
});

export const agentBelongings = defineOperation({
  name: "agents.belongings",
  at: "GET /agents/{agent}/belongings",
  title: "List what an agent has",
  description: `Lists what goes when the agent is removed, and the rooms in which it works, which stay. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ agent: agentName }),
  output: belongings,
  run: ({ agent: named }, { principal, parts, ports }) => ports.catalogue.agents.belongings(principal.tenant, named, parts.clock.now()),
});

export const removeAgent = defineOperation({
  name: "agents.remove",
  at: "DELETE /agents/{agent}",
  title: "Remove an agent",
  description: `Removes an agent with all that would act in its name, and tells what went with it. What it did stays in the log. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ agent: agentName }),
  output: z.object({ removed: belongings }),
  async run({ agent: named }, { principal, parts, ports }) {
    const removal = { by: principal.actor, at: parts.clock.now() };
    return { removed: await ports.catalogue.agents.remove(principal.tenant, named, removal) };
  },
});

const agentTool = z.object({
  tool: z.string(),
  source: z.enum(["manual", "default", "skill"]),
  skill: z.string().optional(),
  enabled: z.boolean(),
});

const enabled = z.boolean().optional().describe("Left out: takes back what was said before");

export const listEnablement = defineOperation({
  name: "enablement.list",
  at: "GET /agents/{agent}/tools",
  title: "List an agent's tools",
  description: `Lists every row that says something of a tool for an agent. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ agent: agentName }),
  output: listOf(agentTool),
  run: async ({ agent: named }, { principal, ports }) => ({
    items: await ports.catalogue.enablement.listForAgent(principal.tenant, named),
  }),
});

export const setEnablement = defineOperation({
  name: "enablement.set",
  at: "PUT /enablement",
  title: "Enable or disable tools",
  description: `Enables or disables tools for an agent, or without one for the tenant. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName.optional(), tools: z.array(z.string()).min(1), enabled }),
  output: z.object({ tools: z.array(z.string()), enabled }),
  async run({ agent: named, tools: rows, enabled: wanted }, { principal: { tenant }, ports: { catalogue } }) {
    const tools = rows.map(toolOfRow);
    if (named === undefined) await catalogue.enablement.setForTenant(tenant, tools, wanted);
    else await catalogue.enablement.setForAgent({ tenant, agent: named }, tools, wanted);
    return { tools, enabled: wanted };
  },
});

const skill = z.object({
  skill: z.string(),
  title: z.string(),
  instructions: z.string().describe("Markdown"),
  tools: z.array(z.string()).describe("Tools that an agent with the skill has"),
  agents: z.array(z.string()),
});

const skillName = z.string().min(1).describe("Name of the skill");
const skillChanges = { title: z.string().optional(), instructions: z.string().optional(), tools: z.array(z.string()).optional() };

export const listSkills = defineOperation({
  name: "skills.list",
  at: "GET /skills",
  title: "List skills",
  description: `Lists the skills of the tenant. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(skill),
  run: async (_, { principal, ports }) => ({ items: await ports.catalogue.skills.list(principal.tenant) }),
});

export const createSkill = defineOperation({
  name: "skills.create",
  at: "POST /skills",
  status: 201,
  title: "Create a skill",
  description: `Makes a skill: instructions, and the tools that they need. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, ...skillChanges }),
  output: skill,
  async run({ skill: made, ...rest }, { principal, ports }) {
    const { title = made, instructions = "", tools = [] } = rest;
    await ports.catalogue.skills.create(principal.tenant, { skill: made, title, instructions, tools });
    return { skill: made, title, instructions, tools, agents: [] };
  },
});

export const updateSkill = defineOperation({
  name: "skills.update",
  at: "PATCH /skills/{skill}",
  title: "Update a skill",
  description: `Changes what is named of a skill. Agents that have it follow at once. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, ...skillChanges }),
  output: skill,
  async run({ skill: named, ...changes }, { principal: { tenant }, ports: { catalogue } }) {
    const said = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await catalogue.skills.change(tenant, named, said);
    const found = (await catalogue.skills.list(tenant)).find((each) => each.skill === named);
    if (!found) throw catalogueMissing("skill", named);
    return found;
  },
});

export const removeSkill = defineOperation({
  name: "skills.remove",
  at: "DELETE /skills/{skill}",
  title: "Remove a skill",
  description: `Removes a skill. Agents lose the tools that nothing else enables. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ skill: skillName }),
  output: z.object({ removed: z.string() }),
  async run({ skill: named }, { principal, ports }) {
    await ports.catalogue.skills.remove(principal.tenant, named);
    return { removed: named };
  },
});

export const assignSkill = defineOperation({
  name: "skills.assign",
  at: "PUT /skills/{skill}/agents/{agent}",
  title: "Give a skill to an agent",
  description: `Gives a skill to an agent, or takes it away. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, agent: agentName, enabled: z.boolean() }),
  output: z.object({ skill: z.string(), agent: z.string(), enabled: z.boolean() }),
  async run({ skill: named, agent: to, enabled: wanted }, { principal: { tenant }, ports }) {
    await ports.catalogue.skills.setForAgent({ tenant, agent: to, skill: named }, wanted);
    return { skill: named, agent: to, enabled: wanted };
  },
});
