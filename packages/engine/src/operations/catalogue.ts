import { z } from "zod";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { settingsOf } from "../ports/agent-settings.ts";
import { toolOfRow } from "../ports/agent-tool-name.ts";
import { catalogueMissing, cataloguePort } from "../ports/catalogue-store.ts";
import { agentLimits } from "./agent-limits.ts";
import { agentTool } from "./agent-tool.ts";
import { type Answer, defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf } from "./json-parts.ts";
import { requireTools } from "./require-tools.ts";
import { surveyed, toEntry } from "./tools.ts";
import { agentsView, agentView } from "./views/agents.ts";
import { enabledView } from "./views/tools.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: [cataloguePort] } as const;
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

const openedAgent = agent.extend({
  skills: z.array(z.string()),
  tools: z.array(agentTool).describe("Every row that says something of a tool for it"),
});

const agentName = z.string().min(1).describe("Name of the agent");
const agentChanges = {
  name: z.string().optional().describe("Display name"),
  features: z.record(z.string(), z.boolean()).optional().describe("Features that are not named stay as they are"),
  restricted: z.boolean().optional(),
  acceptsAgents: z.boolean().optional(),
  instructions: z.string().optional().describe("Markdown of at most 100000 characters; an empty text takes it back"),
  model: z.string().optional().describe("provider/name; an empty text takes it back"),
  limits: agentLimits.optional(),
};

const listAgents = defineOperation({
  name: "agents.list",
  at: "GET /agents",
  title: "List agents",
  description: `Lists the agents of the tenant. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(agent),
  shell: { form: "agents list", about: "List agents" },
  view: agentsView,
  run: async (_, { principal, ports }) => ({ items: await ports.catalogue.agents.list(principal.tenant) }),
});

const getAgent = defineOperation({
  name: "agents.get",
  at: "GET /agents/{agent}",
  title: "Get an agent",
  description: `Gets an agent with its skills and what its rows say of tools. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ agent: agentName }),
  output: openedAgent,
  shell: { form: "agents show <agent>", about: "Show an agent with its skills and tool settings" },
  view: agentView,
  run: async ({ agent: named }, context) => openAgent(named, context),
});

const createAgent = defineOperation({
  name: "agents.create",
  at: "POST /agents",
  status: 201,
  title: "Create an agent",
  description: `Makes an agent, with the tools that it is made with. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName, ...agentChanges, tools: z.array(z.string()).optional().describe("Tools to enable") }),
  output: openedAgent,
  shell: {
    form: "agents create <agent>",
    about: "Create an agent",
    options: {
      instructions: {
        flags: "--instructions <path>",
        about: "instructions that begin every request to the model, as Markdown; - for stdin",
        reads: "text",
      },
      model: { flags: "--model <name>", about: "provider/name (default: TOOLWRIGHT_MODEL)" },
      limits: { flags: "--steps <count>", about: "requests to the model in one turn (default: 15)", into: "steps" },
      restricted: {
        about: "give the agent only tools that are enabled for it",
        no: "give the agent all tools except those that are disabled for it",
      },
      acceptsAgents: { about: "other agents may call it", no: "no agent may call it" },
      features: [
        { flags: "--off <feature...>", about: "hide the tools of a feature, also enabled ones: memory, knowledge", names: false },
        { flags: "--on <feature...>", about: "show the tools of a feature again", names: true },
      ],
      tools: { flags: "--with <tool...>" },
    },
    examples: ["agents create reviewer --restricted --with file_read file_search --off memory"],
  },
  view: agentView,
  async run({ tools = [], agent: made, ...rest }, context) {
    const { principal, ports } = context;
    await requireTools(tools, context);
    const { name = made, features = {}, restricted = false, acceptsAgents = false, instructions, model, limits: wantedLimits } = rest;
    const settings = settingsOf({ instructions, model, limits: wantedLimits });
    const wanted = { agent: made, name, features, restricted, acceptsAgents, ...settings };
    await ports.catalogue.agents.create(principal.tenant, wanted, tools.map(toolOfRow));
    return openAgent(made, context);
  },
});

const updateAgent = defineOperation({
  name: "agents.update",
  at: "PATCH /agents/{agent}",
  title: "Update an agent",
  description: `Changes what is named of an agent. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName, ...agentChanges }),
  output: openedAgent,
  async run({ agent: named, ...changes }, context) {
    const said = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await context.ports.catalogue.agents.change(context.principal.tenant, named, said);
    return openAgent(named, context);
  },
});

async function openAgent(
  named: string,
  { principal: { tenant }, ports: { catalogue } }: Pick<OperationContext<typeof cataloguePort>, "principal" | "ports">,
): Promise<Answer<z.output<typeof openedAgent>>> {
  const known = await catalogue.agents.list(tenant);
  const found = known.find((each) => each.agent === named);
  if (!found)
    throw catalogueMissing(
      "agent",
      named,
      known.map((each) => each.agent),
    );
  const skills = (await catalogue.skills.list(tenant)).filter(({ agents }) => agents.includes(named)).map(({ skill }) => skill);
  return { ...found, skills, tools: await catalogue.enablement.listForAgent(tenant, named) };
}

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

const agentBelongings = defineOperation({
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

const removeAgent = defineOperation({
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

const enabled = z.boolean().optional().describe("Left out: takes back what was said before");
const forAgent = { flags: "--agent <id>", about: "for this agent (default: for the whole tenant)" };

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
  output: z.object({
    tools: z.array(z.string()),
    enabled,
    items: z.array(surveyed).optional().describe("The tools as they are now; only for whoever may survey them"),
  }),
  shell: [
    {
      ...{ form: "tools enable <tools...>", about: "Enable tools", options: { agent: forAgent }, gives: { enabled: true } },
      notes:
        "For the tenant it opts in to tools that are opt-in. For the tenant default it holds for every tenant that says nothing itself.",
      examples: ["tools enable exec --agent reviewer"],
    },
    {
      ...{ form: "tools disable <tools...>", about: "Disable tools, even where a skill enables them" },
      ...{ options: { agent: forAgent }, gives: { enabled: false } },
    },
    { form: "tools reset <tools...>", about: "Undo enable or disable", options: { agent: forAgent, enabled: false } },
  ],
  view: enabledView,
  async run({ agent: named, tools: rows, enabled: wanted }, context) {
    const { tenant } = context.principal;
    const { catalogue } = context.ports;
    // What was said before is taken back also of a tool that is not there any more.
    if (wanted !== undefined) await requireTools(rows, context);
    const tools = rows.map(toolOfRow);
    if (named === undefined) await catalogue.enablement.setForTenant(tenant, tools, wanted);
    else await catalogue.enablement.setForAgent({ tenant, agent: named }, tools, wanted);
    const scope = named === undefined ? context.scope : context.scopeAs(named);
    const items = scope.survey().flatMap((each) => (tools.includes(each.tool.name) ? [toEntry(each, scope)] : []));
    return { tools, enabled: wanted, ...(items.length > 0 && { items }) };
  },
});

export const agentsSubject = defineSubject({
  name: "agents",
  permissions: [
    {
      name: MANAGE_CATALOGUE,
      about: "change who has which tools: agents, enablement, skills, hooks, overrides, tools of the tenant itself",
    },
  ],
  shell: { agents: { about: "Manage agents: tools, features, settings" } },
  operations: [listAgents, getAgent, createAgent, updateAgent, agentBelongings, removeAgent],
});
