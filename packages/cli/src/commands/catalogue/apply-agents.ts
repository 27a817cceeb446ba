import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "@toolwright/engine";
import { agentLimits, type SurveyEntry } from "@toolwright/engine/operations";
import { type Agent, type ListedSkill, visibleText } from "@toolwright/engine/ports";
import { exitCodes } from "../../exit-code.ts";
import { type DescribedAgent, readAgentsFile } from "../../input/read-agents-file.ts";
import type { Io } from "../../io.ts";
import type { Operate } from "../context/operate.ts";
import { type CatalogueOptions, missingSkill, surveyTools, withCatalogue } from "../context/with-catalogue.ts";

/** The limits of a document are all that there are. */
const limitNames = agentLimits.keyof().options;

type Options = CatalogueOptions & { readonly dryRun?: boolean };

/** An agent as it is now. */
type Found = Agent & { readonly skills: readonly string[] };

/** What a document comes to for one agent. */
interface Change {
  readonly agent: string;
  readonly change: "created" | "changed" | "same";
  /** Names of the members that are not as they were. */
  readonly members: readonly string[];
}

/** What it comes to for the policy of the tenant. */
interface PolicyChange {
  /** Agents whose tools it says anew. */
  readonly agents: readonly string[];
  /** Absent where nothing was put in force. */
  readonly revision?: number;
}

/** Creates and changes agents as a file says, and removes none. */
export async function applyAgents(io: Io, options: Options, [file = ""]: readonly string[]): Promise<number> {
  const { dryRun = false, json } = options;
  const described = await readAgentsFile(io, file);
  return withCatalogue(io, options, async ({ operate, tenant }) => {
    const { items: agents } = await operate("agents.list", {});
    const { items: skills } = await operate("skills.list", {});
    requireSkills(described, skills, tenant);
    const found = described.map(({ id }) => find(id, agents, skills));
    const changes = described.map((each, index) => compare(each, found[index]));
    // Before the agents: none is ever there with tools that it is not to have.
    const policy = await changePolicy(operate, described, { dryRun, note: `Tools of agents, as ${file} says`.slice(0, 500) });
    if (!dryRun) for (const [index, each] of described.entries()) await write(operate, each, { found: found[index], ...changes[index] });
    tellUnknown(io, described, await surveyTools(operate));
    if (json) io.out(`${JSON.stringify({ dryRun, agents: changes, policy }, null, 2)}\n`);
    else io.out(`${[...changes.map(describeChange), ...describePolicy(policy), ...(dryRun ? ["Nothing was written."] : [])].join("\n")}\n`);
    return exitCodes.done;
  });
}

function requireSkills(described: readonly DescribedAgent[], skills: readonly ListedSkill[], tenant: string | undefined): void {
  for (const name of described.flatMap((each) => each.skills ?? []))
    if (!skills.some(({ skill }) => skill === name)) throw missingSkill(name, skills, tenant);
}

function find(id: string, agents: readonly Agent[], skills: readonly ListedSkill[]): Found | undefined {
  const found = agents.find(({ agent }) => agent === id);
  return found && { ...found, skills: skills.flatMap((each) => (each.agents.includes(id) ? [each.skill] : [])) };
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
    return !isDeepStrictEqual(value, found?.[name as keyof Found] ?? empty);
  });
  const change = !found ? "created" : members.length > 0 ? "changed" : "same";
  return { agent: id, change, members: members.map(([name]) => name) };
}

async function write(
  operate: Operate,
  { id: agent, tools: _, skills, ...rest }: DescribedAgent,
  { found, change, members = [] }: Partial<Change> & { readonly found: Found | undefined },
): Promise<void> {
  if (change === "created") await operate("agents.create", { agent, ...rest });
  else if (members.some((member) => member !== "skills"))
    await operate("agents.update", { agent, ...rest, ...(rest.limits && { clear: limitNames }) });
  const has = new Set(found?.skills);
  for (const skill of new Set(skills)) if (!has.delete(skill)) await operate("skills.assign", { agent, skill, enabled: true });
  if (skills) for (const skill of has) await operate("skills.assign", { agent, skill, enabled: false });
}

/** A policy may name tools that come later: nothing is wrong with it, and nothing comes of it. */
function tellUnknown(io: Io, described: readonly DescribedAgent[], survey: readonly SurveyEntry[]): void {
  const known = new Set(survey.flatMap(({ tool: { name, group } }) => [name, `group:${group}`]));
  const handles = described.flatMap(({ tools }) => Object.values(tools ?? {}).flat());
  const unknown = [...new Set(handles)].filter((handle) => !known.has(handle));
  if (unknown.length > 0) io.err(`There is no tool or group ${visibleText(unknown.join(", "))} now; what names it has no effect yet.\n`);
}

interface Changing {
  readonly dryRun: boolean;
  readonly note: string;
}

/** Which tools an agent may use is said by the policy of its tenant, and nowhere else. */
async function changePolicy(operate: Operate, described: readonly DescribedAgent[], { dryRun, note }: Changing): Promise<PolicyChange> {
  if (described.every(({ tools }) => tools === undefined)) return { agents: [] };
  const { revision: read, document } = await operate("policy.current", {});
  const before = (document.agents ?? []) as unknown as readonly Pick<DescribedAgent, "id" | "tools">[];
  const changed = described.filter(
    ({ id, tools }) => tools !== undefined && !isDeepStrictEqual(tools, before.find((each) => each.id === id)?.tools),
  );
  const agents = changed.map(({ id }) => id);
  if (dryRun || changed.length === 0) return { agents };
  const toolsOf = new Map(changed.map(({ id, tools }) => [id, { id, tools }]));
  const kept = before.map((each) => ({ ...each, ...toolsOf.get(each.id) }));
  const added = [...toolsOf.values()].filter(({ id }) => !before.some((each) => each.id === id));
  const next = { ...document, agents: [...kept, ...added] } as unknown as JsonObject;
  const { revision } = await operate("policy.put", { document: next, read, note });
  return { agents, revision };
}

function describeChange({ agent, change, members }: Change): string {
  if (change === "same") return `${agent}: as it was`;
  return change === "created" ? `${agent}: created` : `${agent}: changed (${members.join(", ")})`;
}

function describePolicy({ agents, revision }: PolicyChange): readonly string[] {
  if (agents.length === 0) return [];
  return [`policy of the tenant: tools of ${agents.join(", ")}${revision === undefined ? "" : `, at revision ${revision}`}`];
}
