import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { visibleText } from "@toolwright/engine";
import type { ListedSkill } from "@toolwright/postgres";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { renderTable } from "../output/table.ts";
import { type CatalogueOptions, withCatalogue } from "./with-catalogue.ts";

type CreateOptions = CatalogueOptions & { readonly title?: string; readonly file?: string; readonly with?: readonly string[] };

export function list(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ tenant, catalogue }) => {
    const skills = await catalogue.skills.list(tenant);
    if (options.json) io.out(`${JSON.stringify(skills, null, 2)}\n`);
    else if (skills.length === 0) io.out("There are no skills: toolwright skills create NAME --file skill.md\n");
    else io.out(`${renderTable(["skill", "tools", "agents", "title"], skills.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

const toRow = ({ skill, tools, agents, title }: ListedSkill) => [
  skill,
  tools.join(", ") || "-",
  agents.join(", ") || "-",
  visibleText(title),
];

/** Makes the skill, or puts it in the place of the one of that name: agents that have it follow at once. */
export async function create(io: Io, options: CreateOptions, [skill = ""]: readonly string[]): Promise<number> {
  const instructions = await readInstructions(io, options.file);
  return withCatalogue(io, options, async ({ tenant, catalogue, scope }) => {
    const tools = options.with ?? [];
    const known = new Set(scope.survey().map(({ tool }) => tool.name));
    const missing = tools.filter((tool) => !known.has(tool));
    if (missing.length > 0) io.err(`There is no tool ${missing.join(", ")} now; agents with the skill have it as soon as there is.\n`);
    await catalogue.skills.put(tenant, { skill, title: options.title ?? skill, instructions, tools });
    if (options.json)
      io.out(
        `${JSON.stringify(
          (await catalogue.skills.list(tenant)).find((each) => each.skill === skill),
          null,
          2,
        )}\n`,
      );
    else io.out(`Skill ${skill} enables ${tools.join(", ") || "no tools"}.\n`);
    return exitCodes.done;
  });
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

async function readInstructions(io: Io, file: string | undefined): Promise<string> {
  if (file === undefined) return "";
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    throw new CliError(`The instructions ${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  });
}
