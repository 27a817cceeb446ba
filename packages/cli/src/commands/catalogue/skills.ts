import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, withCatalogue } from "../context/with-catalogue.ts";

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
