import type { SurveyEntry } from "@toolwright/engine/operations";
import type { AgentTool } from "@toolwright/engine/ports";
import { describeSync } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { type CatalogueOptions, surveyTools, withCatalogue } from "../context/with-catalogue.ts";
import { withToolwright } from "../context/with-toolwright.ts";

/** All tools that there are, hidden ones too, with what an operator wants to know of each. */
export function list(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ operate }) => {
    const { agent } = options;
    const rows = agent === undefined ? [] : (await operate("enablement.list", { agent })).items;
    const byTool = Map.groupBy(rows, ({ tool }) => tool);
    const tools = (await surveyTools(operate, agent)).map((entry) => toEntry(entry, byTool.get(entry.tool.name)));
    if (options.json) io.out(`${JSON.stringify(tools, null, 2)}\n`);
    else {
      const lines = tools.map(({ name, group, state, enabledBy, reason }) => [name, group, state, enabledBy.join(", ") || "-", reason]);
      io.out(`${renderTable(["name", "group", "state", "enabled by", "why"], lines, io.columns)}\n`);
    }
    return exitCodes.done;
  });
}

function toEntry({ tool, visible, state, check, reason, missingSecrets, change }: SurveyEntry, rows: readonly AgentTool[] = []) {
  const enabledBy = rows.filter(({ enabled }) => enabled).map(({ source, skill }) => (skill === undefined ? source : `skill ${skill}`));
  return { name: tool.name, group: tool.group, origin: tool.origin.kind, visible, state, enabledBy, check, reason, missingSecrets, change };
}

/** For before a deployment, or after one that was not followed by a server. */
export function sync(io: Io, options: CatalogueOptions): Promise<number> {
  return withToolwright(io, { ...options, callsNothing: true }, async (toolwright) => {
    const { catalogue } = toolwright.store;
    if (options.agent !== undefined || options.tenant !== undefined)
      throw new CliError("The tools of code belong to no tenant and no agent. Leave --tenant and --agent out.");
    const complete = toolwright.loaded?.problems.length === 0 || toolwright.loaded === undefined;
    const report = await catalogue.sync(toolwright.engine.snapshot(), { complete });
    await catalogue.leave();
    io.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : `${describeSync(report).join("\n") || "Nothing changed."}\n`);
    return exitCodes.done;
  });
}
