import { z } from "zod";
import { MANAGE_CATALOGUE } from "../contract/permissions.ts";
import { catalogueMissing, cataloguePort, type ListedSkill } from "../ports/catalogue-store.ts";
import type { Scope } from "../scope-types.ts";
import { agentTool } from "./agent-tool.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf } from "./json-parts.ts";
import { assignedSkillsView, changedSkillView, removedSkillView, skillsView, skillView } from "./views/skills.ts";

const managed = { permission: MANAGE_CATALOGUE, needs: [cataloguePort] } as const;
const needs = "Needs the permission catalogue:manage.";

const skill = z.object({
  skill: z.string(),
  title: z.string(),
  instructions: z.string().describe("Markdown"),
  tools: z.array(z.string()).describe("Tools that an agent with the skill has"),
  agents: z.array(z.string()),
});

const changedSkill = skill.extend({
  unknownTools: z
    .array(z.string())
    .optional()
    .describe(
      "Tools that were named and are not there now: agents with the skill have them as soon as they are; only for whoever may survey tools",
    ),
});

const skillName = z.string().min(1).describe("Name of the skill");
const agentName = z.string().min(1).describe("Name of the agent");
const skillChanges = {
  title: z.string().optional().describe("Display name"),
  instructions: z.string().optional().describe("Markdown"),
  tools: z.array(z.string()).optional().describe("All tools that it needs"),
};
const forAgent = { agent: { flags: "--agent <id>", about: "for this agent" } };
const skillOptions = {
  instructions: { flags: "--file <path>", about: "its instructions, Markdown; - for stdin", reads: "text" },
  tools: { flags: "--with <tool...>" },
} as const;

const listSkills = defineOperation({
  name: "skills.list",
  at: "GET /skills",
  title: "List skills",
  description: `Lists the skills of the tenant. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(skill),
  shell: { form: "skills list", about: "List skills with the agents that have them" },
  view: skillsView,
  run: async (_, { principal, ports }) => ({ items: await ports.catalogue.skills.list(principal.tenant) }),
});

const getSkill = defineOperation({
  name: "skills.get",
  at: "GET /skills/{skill}",
  title: "Get a skill",
  description: `Gets a skill with its instructions and the agents that have it. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({ skill: skillName }),
  output: skill,
  shell: { form: "skills show <skill>", about: "Show a skill with its instructions" },
  view: skillView,
  run: async ({ skill: named }, context) => requireSkill(named, context),
});

const createSkill = defineOperation({
  name: "skills.create",
  at: "POST /skills",
  status: 201,
  title: "Create a skill",
  description: `Makes a skill: instructions, and the tools that they need. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, ...skillChanges }),
  output: changedSkill,
  shell: {
    form: "skills create <skill>",
    options: skillOptions,
    examples: ["skills create release-notes --file release-notes.md --with file_read git_clone"],
  },
  view: changedSkillView,
  async run({ skill: made, title = made, instructions = "", tools = [] }, context) {
    await context.ports.catalogue.skills.create(context.principal.tenant, { skill: made, title, instructions, tools });
    return { ...(await requireSkill(made, context)), ...unknownTools(tools, context.scope) };
  },
});

const updateSkill = defineOperation({
  name: "skills.update",
  at: "PATCH /skills/{skill}",
  title: "Update a skill",
  description: `Changes what is named of a skill. Agents that have it follow at once. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, ...skillChanges }),
  output: changedSkill,
  shell: { form: "skills set <skill>", about: "Change the named settings of a skill", options: skillOptions },
  view: changedSkillView,
  async run({ skill: named, ...changes }, context) {
    const said = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
    await context.ports.catalogue.skills.change(context.principal.tenant, named, said);
    return { ...(await requireSkill(named, context)), ...unknownTools(changes.tools ?? [], context.scope) };
  },
});

const removeSkill = defineOperation({
  name: "skills.remove",
  at: "DELETE /skills/{skill}",
  title: "Remove a skill",
  description: `Removes a skill. Agents lose the tools that nothing else enables. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ skill: skillName }),
  output: z.object({
    removed: z.string(),
    agents: z.array(z.string()).describe("Agents that had it"),
    tools: z.array(z.string()).describe("Tools that it enabled"),
  }),
  shell: { form: "skills remove <skill>", about: "Remove a skill and report which agents had it" },
  view: removedSkillView,
  async run({ skill: named }, context) {
    const { agents, tools } = await requireSkill(named, context);
    await context.ports.catalogue.skills.remove(context.principal.tenant, named);
    return { removed: named, agents, tools };
  },
});

const assignSkill = defineOperation({
  name: "skills.assign",
  at: "PUT /skills/{skill}/agents/{agent}",
  title: "Give a skill to an agent",
  description: `Gives a skill to an agent, or takes it away. ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ skill: skillName, agent: agentName, enabled: z.boolean() }),
  output: z.object({
    skill: z.string(),
    agent: z.string(),
    enabled: z.boolean(),
    skills: z.array(z.string()).describe("All skills that the agent has now"),
    tools: z.array(agentTool).describe("Every row that says something of a tool for it now"),
  }),
  shell: [
    {
      ...{ form: "skills enable <skill...>", about: "Give skills to an agent, with the tools that they need" },
      ...{ each: "skill", options: forAgent, gives: { enabled: true }, store: true },
    },
    {
      ...{ form: "skills disable <skill...>", about: "Remove skills from an agent, with the tools that only they enable" },
      ...{ each: "skill", options: forAgent, gives: { enabled: false }, store: true },
    },
  ],
  view: assignedSkillsView,
  async run({ skill: named, agent: to, enabled: wanted }, { principal: { tenant }, ports: { catalogue } }) {
    await catalogue.skills.setForAgent({ tenant, agent: to, skill: named }, wanted);
    const skills = (await catalogue.skills.list(tenant)).filter(({ agents }) => agents.includes(to)).map(({ skill: each }) => each);
    return { skill: named, agent: to, enabled: wanted, skills, tools: await catalogue.enablement.listForAgent(tenant, to) };
  },
});

async function requireSkill(
  named: string,
  { principal, ports }: Pick<OperationContext<typeof cataloguePort>, "principal" | "ports">,
): Promise<ListedSkill> {
  const known = await ports.catalogue.skills.list(principal.tenant);
  const found = known.find((each) => each.skill === named);
  if (found) return found;
  throw catalogueMissing(
    "skill",
    named,
    known.map((each) => each.skill),
  );
}

function unknownTools(named: readonly string[], scope: Scope): { readonly unknownTools?: readonly string[] } {
  const known = new Set(scope.survey().map(({ tool }) => tool.name));
  const unknown = named.filter((name) => !known.has(name));
  return known.size === 0 || unknown.length === 0 ? {} : { unknownTools: unknown };
}

export const skillsSubject = defineSubject({
  name: "skills",
  shell: { skills: { about: "Manage skills: instructions with the tools that they need" } },
  operations: [listSkills, getSkill, createSkill, updateSkill, removeSkill, assignSkill],
});
