import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { SurveyEntry } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readTenantTool, writeTenantTool } from "../../input/read-tenant-tool.ts";
import type { Io } from "../../io.ts";
import { type CatalogueOptions, hint, surveyTools, withCatalogue } from "../context/with-catalogue.ts";
import { describeOverride } from "./tool-override.ts";

/** Adds a tool of the tenant's own, or puts it in the place of the one of that name. */
export async function add(io: Io, options: CatalogueOptions, [file = ""]: readonly string[]): Promise<number> {
  const tool = readTenantTool(await readText(io, file), file === "-" ? "stdin" : file);
  return withCatalogue(io, options, async ({ whose, operate }) => {
    const { version } = await operate("tools.put", tool);
    if (options.json) io.out(`${JSON.stringify({ ...writeTenantTool(tool), version }, null, 2)}\n`);
    else io.out(`${whose} has the tool ${tool.tool}, with version ${version} of its schemas.\n`);
    io.err(
      "Nothing here runs tools of tenants: it is listed, enabled, narrowed and checked like any other, and a call fails with not_executable.\n",
    );
    return exitCodes.done;
  });
}

/** One tool as the tenant has it, hidden or not, with what is overridden of it. As JSON one of the tenant's own is what `add` reads. */
export function show(io: Io, options: CatalogueOptions, [name = ""]: readonly string[]): Promise<number> {
  return withCatalogue(io, options, async ({ whose, operate }) => {
    const survey = await surveyTools(operate);
    const surveyed = survey.find(({ tool }) => tool.name === name);
    const own = (await operate("tools.own", {})).items.find((each) => each.tool === name);
    if (!surveyed && own?.problem !== undefined) throw new CliError(`Tool "${visibleText(name)}" is left out. ${visibleText(own.problem)}`);
    if (!surveyed)
      throw new CliError(
        `There is no tool "${visibleText(name)}".${hint(
          name,
          survey.map(({ tool }) => tool.name),
        )} See them with: toolwright tools list`,
      );
    const { tool, state } = surveyed;
    const changed = (await operate("overrides.list", {})).items.find((each) => each.tool === name);
    if (options.json) io.out(`${JSON.stringify(own ? writeTenantTool(own) : { ...described(tool), state, override: changed }, null, 2)}\n`);
    else
      io.out(
        `${[`${tool.name}: ${tool.title}`, `from ${tool.origin.source}, group ${tool.group}, ${state}`, tool.description, ...(changed ? [`Overridden in ${whose}: ${describeOverride(changed)}`] : [])].map(visibleText).join("\n")}\n`,
      );
    return exitCodes.done;
  });
}

const described = ({ name, title, group, description, inputSchema, outputSchema, effects, hints, origin, hash }: Described) => ({
  ...{ name, title, group, description, inputSchema, outputSchema },
  ...{ effects, hints, origin, hash },
});
type Described = SurveyEntry["tool"];

async function readText(io: Io, file: string): Promise<string> {
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    throw new CliError(`${file} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
}
