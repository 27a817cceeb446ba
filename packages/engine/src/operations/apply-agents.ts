import { z } from "zod";
import { canonicalJson, type Json, type JsonObject } from "../contract/json.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { agentFilesPort } from "../ports/agent-files.ts";
import { checkAgentSettings } from "../ports/agent-settings.ts";
import { type Agent, catalogueMissing, cataloguePort, checkCatalogueName } from "../ports/catalogue-store.ts";
import { agentLimits } from "./agent-limits.ts";
import { agentBelongings, createAgent, getAgent, listAgents, newAgent, removeAgent, saidOf, updateAgent } from "./catalogue.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { type DescribedAgent, describedAgent } from "./described-agent.ts";
import { changePolicy, currentVersionOf, putPolicy } from "./policy.ts";
import { refuseCaller } from "./refuse-caller.ts";
import { appliedAgentsView } from "./views/apply-agents.ts";

const change = z.object({
  agent: z.string(),
  change: z.enum(["created", "changed", "same"]),
  members: z.array(z.string()).describe("Names of the members that are not as they were"),
});

type Context = OperationContext<typeof cataloguePort>;

/** An agent as it is now. */
type Found = Agent & { readonly skills: readonly string[] };
type Change = Readonly<z.output<typeof change>>;

const applyAgents = defineOperation({
  name: "agents.apply",
  at: "POST /agents/apply",
  title: "Apply agents",
  description:
    "Creates and changes agents as they are described, gives them their skills, and puts which tools they may use into the policy of the tenant. It removes none. Needs the permission catalogue:manage, and where it says tools a person with policy:manage.",
  permission: MANAGE_CATALOGUE,
  needs: [cataloguePort],
  effect: "write",
  input: z.object({
    agents: z.array(describedAgent).describe("What is left out of one stays as it is"),
    dryRun: z.boolean().optional().describe("True: says what would change, and writes nothing"),
    note: z.string().optional().describe("Why the policy changes; without it, that a document says so"),
  }),
  output: z.object({
    dryRun: z.boolean(),
    agents: z.array(change),
    policy: z.object({
      agents: z.array(z.string()).describe("Agents whose tools it says anew"),
      revision: z.int().optional().describe("Absent where nothing was put in force"),
    }),
    unknown: z.array(z.string()).optional().describe("Tools and groups that are not there now: what names them has no effect yet"),
  }),
  shell: {
    form: "agents apply <agents>",
    about: "Create and change agents as a YAML or JSON document says; removes none",
    options: {
      agents: { flags: "<file>", reads: "agents" },
      dryRun: { about: "say what would change" },
      note: { about: "why the policy changes" },
    },
    notes:
      "A file:\n  agents:\n    - id: reviewer\n      instructions: Read the change, then say what could break.\n      limits: { steps: 20 }\n      tools: { allow: [file_read, file_search] }\n\nBeside that: name, model, features, restricted, acceptsAgents, skills. What is left out stays. tools goes into the policy of the tenant.",
  },
  view: appliedAgentsView,
  async run({ agents: described, dryRun = false, note = "Tools of agents, as a document says" }, context) {
    const { principal, scope } = context;
    described.forEach(checkDescribed);
    const refusal = described.some(({ tools }) => tools !== undefined) && refuseCaller(putPolicy, principal);
    if (refusal) throw refusal;
    const found = await findDescribed(described, context);
    const changes = described.map((each, index) => compare(each, found[index]));
    // Before the agents: none is ever there with tools that it is not to have.
    const policy = await applyPolicy(described, { dryRun, note }, context);
    if (!dryRun) for (const [index, each] of described.entries()) await write(each, { found: found[index], ...changes[index] }, context);
    // Who may not survey the tools is told nothing of them.
    const known = new Set(scope.survey().flatMap(({ tool: { name, group } }) => [name, `group:${group}`]));
    const handles = described.flatMap(({ tools }) => Object.values(tools ?? {}).flat());
    const unknown = known.size === 0 ? [] : [...new Set(handles)].filter((handle) => !known.has(handle));
    return { dryRun, agents: changes, policy, ...(unknown.length > 0 && { unknown }) };
  },
});

/** Before anything is written. */
function checkDescribed({ id, instructions, model }: DescribedAgent, index: number, all: readonly DescribedAgent[]): void {
  checkCatalogueName("agent", id);
  checkAgentSettings({ ...(instructions !== undefined && { instructions }), ...(model !== undefined && { model }) });
  if (all.findIndex((each) => each.id === id) < index)
    throw misfitAt(`/agents/${index}/id`, "catalogue_refused", `The agent ${JSON.stringify(id)} is described twice. Join the two.`);
}

/** The agents as they are now. Throws for a skill that there is not. */
async function findDescribed(described: readonly DescribedAgent[], { principal, ports: { catalogue } }: Context) {
  const agents = await catalogue.agents.list(principal.tenant);
  const skills = await catalogue.skills.list(principal.tenant);
  const known = skills.map(({ skill }) => skill);
  for (const name of described.flatMap((each) => each.skills ?? []))
    if (!known.includes(name)) throw catalogueMissing("skill", name, known);
  return described.map(({ id }): Found | undefined => {
    const found = agents.find(({ agent }) => agent === id);
    return found && { ...found, skills: skills.flatMap((each) => (each.agents.includes(id) ? [each.skill] : [])) };
  });
}

function compare({ id, tools: _, ...said }: DescribedAgent, found: Found | undefined): Change {
  const wanted = {
    ...said,
    // Features that are not named stay as they are.
    ...(said.features && { features: { ...found?.features, ...said.features } }),
    ...(said.skills && { skills: [...new Set(said.skills)].sort() }),
  };
  const members = Object.entries(wanted).filter(([name, value]) => {
    const empty = typeof value === "string" ? "" : {};
    return !isSame(value, found?.[name as keyof Found] ?? empty);
  });
  return { agent: id, change: !found ? "created" : members.length > 0 ? "changed" : "same", members: members.map(([name]) => name) };
}

const isSame = (one: unknown, other: unknown) => canonicalJson((one ?? null) as Json) === canonicalJson((other ?? null) as Json);

async function write(
  { id: agent, tools: _, skills, ...rest }: DescribedAgent,
  { found, change: what, members = [] }: Partial<Change> & { readonly found: Found | undefined },
  { principal: { tenant }, ports: { catalogue } }: Context,
): Promise<void> {
  if (what === "created") await catalogue.agents.create(tenant, newAgent(agent, rest));
  else if (members.some((member) => member !== "skills"))
    await catalogue.agents.change(tenant, agent, { ...saidOf(rest), ...(rest.limits && { clear: agentLimits.keyof().options }) });
  const has = new Set(found?.skills);
  for (const skill of new Set(skills)) if (!has.delete(skill)) await catalogue.skills.setForAgent({ tenant, agent, skill }, true);
  if (skills) for (const skill of has) await catalogue.skills.setForAgent({ tenant, agent, skill }, false);
}

interface Changing {
  readonly dryRun: boolean;
  readonly note: string;
}

/** Which tools an agent may use is said by the policy of its tenant, and nowhere else. */
async function applyPolicy(described: readonly DescribedAgent[], { dryRun, note }: Changing, context: Context) {
  if (described.every(({ tools }) => tools === undefined)) return { agents: [] };
  const { revision: read, document } = await currentVersionOf(context);
  const before = (Array.isArray(document.agents) ? document.agents : []) as readonly JsonObject[];
  const changed = described.filter(({ id, tools }) => tools !== undefined && !isSame(tools, before.find((each) => each.id === id)?.tools));
  const agents = changed.map(({ id }) => id);
  if (dryRun || changed.length === 0) return { agents };
  const toolsOf = new Map(changed.map(({ id, tools }) => [id, { id, tools: tools as JsonObject }]));
  const kept = before.map((each) => ({ ...each, ...toolsOf.get(String(each.id)) }));
  const added = [...toolsOf.values()].filter(({ id }) => !before.some((each) => each.id === id));
  const { revision } = await changePolicy({ ...document, agents: [...kept, ...added] }, { read, note }, context);
  return { agents, revision };
}

export const agentsSubject = defineSubject({
  name: "agents",
  permissions: [
    {
      name: MANAGE_CATALOGUE,
      about: "change who has which tools: agents, enablement, skills, hooks, overrides, tools of the tenant itself",
    },
  ],
  store: [agentFilesPort],
  shell: { agents: { about: "Manage agents: tools, features, settings" } },
  operations: [listAgents, getAgent, createAgent, updateAgent, applyAgents, agentBelongings, removeAgent],
});
