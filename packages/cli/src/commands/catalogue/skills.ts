import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ListedSkill } from "@toolwright/engine/ports";
import { visibleText } from "@toolwright/engine/ports";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { renderTable } from "../../output/table.ts";
import { type CatalogueOptions, type OpenCatalogue, withCatalogue } from "../context/with-catalogue.ts";
import { hint } from "./tool-override.ts";

type SkillOptions = CatalogueOptions & { readonly title?: string; readonly file?: string; readonly with?: readonly string[] };

export function list(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ tenant, catalogue }) => {
    const skills = await catalogue.skills.list(tenant);
    if (options.json) io.out(`${JSON.stringify(skills, null, 2)}\n`);
    else if (skills.length === 0) io.out("There are no skills: toolwright skills create NAME --file skill.md\n");
    else io.out(`${renderTable(["skill", "tools", "agents", "title"], skills.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

const toRow = ({ skill, tools, agents, title }: ListedSkill) => [skill, tools.join(", ") || "-", agents.join(", ") || "-", title];

export async function create(io: Io, options: SkillOptions, [skill = ""]: readonly string[]): Promise<number> {
  const { title = skill, file, with: tools = [] } = options;
  const instructions = file === undefined ? "" : await readInstructions(io, file);
  return withCatalogue(io, options, async (open) => {
    await open.catalogue.skills.create(open.tenant, { skill, title, instructions, tools });
    tellMissing(io, open, tools);
    return tell(io, options, { skill, open });
  });
}

/** Changes what is named: agents that have the skill follow at once. */
export async function change(io: Io, options: SkillOptions, [skill = ""]: readonly string[]): Promise<number> {
  const { title, file, with: tools } = options;
  if (title === undefined && file === undefined && tools === undefined)
    throw new CliError("Say what to change: --title, --file or --with.");
  const instructions = file === undefined ? undefined : await readInstructions(io, file);
  return withCatalogue(io, options, async (open) => {
    await open.catalogue.skills.change(open.tenant, skill, {
      ...(title !== undefined && { title }),
      ...(instructions !== undefined && { instructions }),
      ...(tools && { tools }),
    });
    tellMissing(io, open, tools ?? []);
    return tell(io, options, { skill, open });
  });
}

function tellMissing(io: Io, { scope }: OpenCatalogue, tools: readonly string[]): void {
  const known = new Set(scope.survey().map(({ tool }) => tool.name));
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
    await open.catalogue.skills.remove(open.tenant, skill);
    if (options.json) io.out(`${JSON.stringify({ removed: skill, agents, tools }, null, 2)}\n`);
    const lost =
      agents.length > 0 ? ` ${agents.join(", ")} had it, and lost what nothing else enables of ${tools.join(", ") || "no tools"}.` : "";
    io.err(`${skill} is gone.${lost}\n`);
    return exitCodes.done;
  });
}

async function findSkill({ tenant, catalogue }: OpenCatalogue, name: string): Promise<ListedSkill> {
  const skills = await catalogue.skills.list(tenant);
  const found = skills.find(({ skill }) => skill === name);
  if (found) return found;
  const names = skills.map(({ skill }) => skill);
  throw new CliError(`There is no skill "${name}".${hint(name, names)} See them with: toolwright skills list${inTenant(tenant)}`);
}

export function enable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: true });
}

export function disable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: false });
}

function set(io: Io, options: CatalogueOptions, { names, enabled }: { names: readonly string[]; enabled: boolean }): Promise<number> {
  return withCatalogue(io, options, async ({ tenant, catalogue }) => {
    const { agent } = options;
    if (agent === undefined) throw new CliError("Name the agent with --agent.");
    for (const skill of names) await catalogue.skills.setForAgent({ tenant, agent, skill }, enabled);
    const rows = await catalogue.enablement.listForAgent(tenant, agent);
    const skills = (await catalogue.skills.list(tenant)).filter(({ agents }) => agents.includes(agent)).map(({ skill }) => skill);
    if (options.json) io.out(`${JSON.stringify({ agent, skills, tools: rows }, null, 2)}\n`);
    else io.out(`Agent ${agent} has the skills ${skills.join(", ") || "none"}.\n`);
    return exitCodes.done;
  });
}

async function readInstructions(io: Io, file: string): Promise<string> {
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    throw new CliError(`The instructions ${file} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
}
