import { z } from "zod";
import { MANAGE_CATALOGUE, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { agentFilesPort } from "../ports/agent-files.ts";
import { settingsOf } from "../ports/agent-settings.ts";
import { toolOfRow } from "../ports/agent-tool-name.ts";
import { type Agent, type AgentChanges, catalogueMissing, cataloguePort } from "../ports/catalogue-store.ts";
import { agentLimits } from "./agent-limits.ts";
import { agentTool } from "./agent-tool.ts";
import { type Answer, defineOperation, type OperationContext } from "./define-operation.ts";
import { listOf } from "./json-parts.ts";
import { requireTools } from "./require-tools.ts";
import { surveyed, toEntry } from "./tools.ts";
import { agentsView, agentView, belongingsView, removedAgentView } from "./views/agents.ts";
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
const agentMembers = {
  name: z.string().optional().describe("Display name"),
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
  shell: { form: "agents list", about: "List agents" },
  view: agentsView,
  run: async (_, { principal, ports }) => ({ items: await ports.catalogue.agents.list(principal.tenant) }),
});

export const getAgent = defineOperation({
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

/** Options of `agents create` and `agents set` alike. */
const settingOptions = {
  instructions: {
    flags: "--instructions <path>",
    about: "instructions that begin every request to the model, as Markdown; - for stdin",
    reads: "text",
  },
  restricted: {
    about: "give the agent only tools that are enabled for it",
    no: "give the agent all tools except those that are disabled for it",
  },
  acceptsAgents: { about: "other agents may call it", no: "no agent may call it" },
  features: [
    { flags: "--off <feature...>", about: "hide the tools of a feature, also enabled ones: memory, knowledge", names: false },
    { flags: "--on <feature...>", about: "show the tools of a feature again", names: true },
  ],
} as const;

export const createAgent = defineOperation({
  name: "agents.create",
  at: "POST /agents",
  status: 201,
  title: "Create an agent",
  description: `Makes an agent, with the tools that it is made with. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ agent: agentName, ...agentMembers, tools: z.array(z.string()).optional().describe("Tools to enable") }),
  output: openedAgent,
  shell: {
    form: "agents create <agent>",
    about: "Create an agent",
    options: {
      ...settingOptions,
      model: { flags: "--model <name>", about: "provider/name (default: TOOLWRIGHT_MODEL)" },
      limits: { flags: "--steps <count>", about: "requests to the model in one turn (default: 15)", into: "steps" },
      tools: { flags: "--with <tool...>" },
    },
    examples: ["agents create reviewer --restricted --with file_read file_search --off memory"],
  },
  view: agentView,
  async run({ tools = [], agent: made, ...rest }, context) {
    const { principal, ports } = context;
    await requireTools(tools, context);
    await ports.catalogue.agents.create(principal.tenant, newAgent(made, rest), tools.map(toolOfRow));
    return openAgent(made, context);
  },
});

type Members = { readonly [Name in keyof Omit<Agent, "agent">]?: Agent[Name] | undefined };

/** The agent of that name, with what is usual where nothing is said. */
export function newAgent(
  agent: string,
  { name = agent, features = {}, restricted = false, acceptsAgents = false, ...settings }: Members,
): Agent {
  return { agent, name, features, restricted, acceptsAgents, ...settingsOf(settings) };
}

/** What is said of an agent, without members that are not. */
export const saidOf = (members: Members & Pick<AgentChanges, "clear">): AgentChanges =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

export const updateAgent = defineOperation({
  name: "agents.update",
  at: "PATCH /agents/{agent}",
  title: "Update an agent",
  description: `Changes what is named of an agent. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({
    agent: agentName,
    ...agentMembers,
    limits: agentLimits.optional().describe("Limits that are not named stay as they are"),
    clear: z.array(agentLimits.keyof()).optional().describe("Limits that are usual again, but for those that `limits` names"),
  }),
  output: openedAgent,
  shell: {
    form: "agents set <agent>",
    about: "Change the named settings of an agent",
    options: {
      ...settingOptions,
      name: { about: "display name" },
      model: { flags: "--model <name>", about: 'provider/name (default: TOOLWRIGHT_MODEL); "" for the default again' },
      limits: {
        flags: "--steps <count>",
        about: 'requests to the model in one turn (default: 15); "" for the default again',
        ...{ into: "steps", clears: "clear" },
      },
      clear: false,
    },
  },
  view: agentView,
  async run({ agent: named, ...changes }, context) {
    await context.ports.catalogue.agents.change(context.principal.tenant, named, saidOf(changes));
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

const onServer = "on the machine of the server; only for whoever runs it";
const left = z.array(z.string()).optional().describe(`Folders that stay, since nothing says that they are the agent's, ${onServer}`);

export const agentBelongings = defineOperation({
  name: "agents.belongings",
  at: "GET /agents/{agent}/belongings",
  title: "List what an agent has",
  description: `Lists what goes when the agent is removed, and the rooms in which it works, which stay. ${needs}`,
  ...managed,
  effect: "read",
  uses: [agentFilesPort],
  input: z.object({ agent: agentName }),
  output: belongings.extend({
    folders: z.array(z.string()).optional().describe(`Folders with the files of its conversations, ${onServer}`),
    left,
  }),
  view: belongingsView,
  async run({ agent: named }, { principal, parts, ports: { catalogue, agentFiles } }) {
    const found = await catalogue.agents.belongings(principal.tenant, named, parts.clock.now());
    if (!agentFiles || !runsServer(principal)) return found;
    const { own, others } = agentFiles.find(principal.tenant, named);
    return { ...found, folders: own, left: others };
  },
});

export const removeAgent = defineOperation({
  name: "agents.remove",
  at: "DELETE /agents/{agent}",
  title: "Remove an agent",
  description: `Removes an agent with all that would act in its name and the files of its conversations, and tells what went with it. What it did stays in the log. ${needs}`,
  ...managed,
  effect: "destructive",
  uses: [agentFilesPort],
  input: z.object({ agent: agentName }),
  output: z.object({
    agent: z.string(),
    removed: belongings.extend({ conversations: z.int().describe("Those whose files went") }),
    folders: z
      .array(
        z.object({
          folder: z.string(),
          conversations: z.int(),
          problem: z.string().exactOptional().describe("Why not all of it could be removed: `EACCES`"),
        }),
      )
      .optional()
      .describe(`Where files of its conversations were, ${onServer}`),
    left,
  }),
  shell: {
    form: "agents delete <agent>",
    about: "Delete an agent with its secrets, schedules, keys and grants",
    asks: {
      ...{ question: "Delete {agent}?", declined: "Nothing was deleted.", about: "delete without a question" },
      after: "agents.belongings",
    },
    notes: "What it did stays in the log. Jobs in its name are cancelled, and approvals that wait are denied.",
    store: true,
  },
  view: removedAgentView,
  async run({ agent: named }, { principal, parts, ports: { catalogue, agentFiles } }) {
    const { tenant } = principal;
    const removed = await catalogue.agents.remove(tenant, named, { by: principal.actor, at: parts.clock.now() });
    const folders = agentFiles?.remove(tenant, named) ?? [];
    for (const { folder, problem } of folders)
      if (problem !== undefined) parts.logger.log("error", "Files of an agent that was removed are left over.", { folder, problem });
    const conversations = folders.reduce((sum, each) => sum + each.conversations, 0);
    const answer = { agent: named, removed: { ...removed, conversations } };
    return agentFiles && runsServer(principal) ? { ...answer, folders, left: agentFiles.find(tenant, named).others } : answer;
  },
});

/** Where files lie on the machine is nobody else's to know. */
const runsServer = ({ permissions }: Principal) => permissions.includes(MANAGE_TENANTS);

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
