import type { ListedSkill } from "@toolwright/engine/ports";
import { visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readInstructions } from "../../input/read-instructions.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { type CatalogueOptions, missingSkill, type OpenCatalogue, surveyTools, withCatalogue } from "../context/with-catalogue.ts";

type SkillOptions = CatalogueOptions & { readonly title?: string; readonly file?: string; readonly with?: readonly string[] };

export function list(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ operate }) => {
    const { items: skills } = await operate("skills.list", {});
    if (options.json) io.out(`${JSON.stringify(skills, null, 2)}\n`);
    else if (skills.length === 0) io.out("There are no skills: toolwright skills create NAME --file skill.md\n");
    else io.out(`${renderTable(["skill", "tools", "agents", "title"], skills.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

const toRow = ({ skill, tools, agents, title }: ListedSkill) => [skill, tools.join(", ") || "-", agents.join(", ") || "-", title];

export async function create(io: Io, options: SkillOptions, [skill = ""]: readonly string[]): Promise<number> {
  const { title, file, with: tools = [] } = options;
  const instructions = await readInstructions(io, file);
  return withCatalogue(io, options, async (open) => {
    await open.operate("skills.create", { skill, title, instructions, tools: [...tools] });
    await tellMissing(io, open, tools);
    return tell(io, options, { skill, open });
  });
}

/** Changes what is named: agents that have the skill follow at once. */
export async function change(io: Io, options: SkillOptions, [skill = ""]: readonly string[]): Promise<number> {
  const { title, file, with: tools } = options;
  if (title === undefined && file === undefined && tools === undefined)
    throw new CliError("Nothing to change. Pass --title, --file or --with.");
  const instructions = await readInstructions(io, file);
  return withCatalogue(io, options, async (open) => {
    await open.operate("skills.update", { skill, title, instructions, tools: tools && [...tools] });
    await tellMissing(io, open, tools ?? []);
    return tell(io, options, { skill, open });
  });
}

async function tellMissing(io: Io, { operate }: OpenCatalogue, tools: readonly string[]): Promise<void> {
  if (tools.length === 0) return;
  const known = new Set((await surveyTools(operate)).map(({ tool }) => tool.name));
  const missing = tools.filter((tool) => !known.has(tool));
  if (missing.length > 0)
    io.err(`There is no tool ${visibleText(missing.join(", "))} now; agents with the skill have it as soon as there is.\n`);
}

async function tell(io: Io, { json }: SkillOptions, { skill, open }: { skill: string; open: OpenCatalogue }): Promise<number> {
  const found = await findSkill(open, skill);
  io.out(json ? `${JSON.stringify(found, null, 2)}\n` : `Skill ${skill} enables ${found.tools.join(", ") || "no tools"}.\n`);
  return exitCodes.done;
}

export function show(io: Io, options: CatalogueOptions, [skill = ""]: readonly string[]): Promise<number> {
  return withCatalogue(io, options, async (open) => {
    const found = await findSkill(open, skill);
    const { title, tools, agents, instructions } = found;
    const lines = [
      `${skill}: ${title}`,
      `Tools: ${tools.join(", ") || "none"}. Agents: ${agents.join(", ") || "none"}.`,
      ...(instructions === "" ? [] : ["", instructions.trimEnd()]),
    ];
    io.out(`${options.json ? JSON.stringify(found, null, 2) : lines.map(visibleText).join("\n")}\n`);
    return exitCodes.done;
  });
}

export function remove(io: Io, options: CatalogueOptions, [skill = ""]: readonly string[]): Promise<number> {
  return withCatalogue(io, options, async (open) => {
    const { agents, tools } = await findSkill(open, skill);
    await open.operate("skills.remove", { skill });
    if (options.json) io.out(`${JSON.stringify({ removed: skill, agents, tools }, null, 2)}\n`);
    const lost =
      agents.length > 0 ? ` ${agents.join(", ")} had it, and lost what nothing else enables of ${tools.join(", ") || "no tools"}.` : "";
    io.err(`${skill} is gone.${lost}\n`);
    return exitCodes.done;
  });
}

async function findSkill({ tenant, operate }: OpenCatalogue, name: string): Promise<ListedSkill> {
  const { items: skills } = await operate("skills.list", {});
  const found = skills.find(({ skill }) => skill === name);
  if (found) return found;
  throw missingSkill(name, skills, tenant);
}

export function enable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: true });
}

export function disable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: false });
}

function set(io: Io, options: CatalogueOptions, { names, enabled }: { names: readonly string[]; enabled: boolean }): Promise<number> {
  return withCatalogue(io, options, async ({ operate }) => {
    const { agent } = options;
    if (agent === undefined) throw new CliError("Name the agent with --agent.");
    for (const skill of names) await operate("skills.assign", { agent, skill, enabled });
    const { items: rows } = await operate("enablement.list", { agent });
    const skills = (await operate("skills.list", {})).items.filter(({ agents }) => agents.includes(agent)).map(({ skill }) => skill);
    if (options.json) io.out(`${JSON.stringify({ agent, skills, tools: rows }, null, 2)}\n`);
    else io.out(`Agent ${agent} has the skills ${skills.join(", ") || "none"}.\n`);
    return exitCodes.done;
  });
}
