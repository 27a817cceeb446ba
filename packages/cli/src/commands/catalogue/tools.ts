import type { Scope, SurveyedTool } from "@toolwright/engine";
import type { AgentTool } from "@toolwright/engine/ports";
import { visibleText } from "@toolwright/engine/ports";
import { describeSync } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { type CatalogueOptions, requireTools, stateOf, withCatalogue } from "../context/with-catalogue.ts";

/** All tools that there are, hidden ones too, with what an operator wants to know of each. */
export function list(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ tenant, catalogue, scope }) => {
    const rows = options.agent === undefined ? [] : await catalogue.enablement.listForAgent(tenant, options.agent);
    const byTool = Map.groupBy(rows, ({ tool }) => tool);
    const tools = scope.survey().map((surveyed) => toEntry(surveyed, scope, byTool.get(surveyed.tool.name)));
    if (options.json) io.out(`${JSON.stringify(tools, null, 2)}\n`);
    else {
      const lines = tools.map(({ name, group, state, enabledBy, reason }) => [name, group, state, enabledBy.join(", ") || "-", reason]);
      io.out(`${renderTable(["name", "group", "state", "enabled by", "why"], lines, io.columns)}\n`);
    }
    return exitCodes.done;
  });
}

function toEntry(surveyed: SurveyedTool, scope: Scope, rows: readonly AgentTool[] = []) {
  const { tool, admission } = surveyed;
  const last = admission.admitted ? admission.checks.find(({ check }) => check === "agent_enablement") : admission.checks.at(-1);
  return {
    name: tool.name,
    group: tool.group,
    origin: tool.origin.kind,
    visible: scope.find(tool.name) !== undefined,
    state: stateOf(surveyed, scope),
    enabledBy: rows.filter(({ enabled }) => enabled).map(({ source, skill }) => (skill === undefined ? source : `skill ${skill}`)),
    check: last?.check,
    reason: last?.reason ?? "",
  };
}

export function enable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: true });
}

export function disable(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: false });
}

/** Takes back what `enable` or `disable` said; also of a tool that is not there any more. */
export function reset(io: Io, options: CatalogueOptions, names: readonly string[]): Promise<number> {
  return set(io, options, { names, enabled: undefined });
}

interface Wanted {
  readonly names: readonly string[];
  readonly enabled: boolean | undefined;
}

function set(io: Io, options: CatalogueOptions, { names, enabled }: Wanted): Promise<number> {
  return withCatalogue(io, options, async ({ tenant, catalogue, scope }) => {
    if (enabled !== undefined) requireTools(scope, names);
    const { agent } = options;
    if (agent === undefined) await catalogue.enablement.setForTenant(tenant, names, enabled);
    else await catalogue.enablement.setForAgent({ tenant, agent }, names, enabled);
    const tools = scope.survey().filter(({ tool }) => names.includes(tool.name));
    if (options.json)
      io.out(
        `${JSON.stringify(
          tools.map((surveyed) => toEntry(surveyed, scope)),
          null,
          2,
        )}\n`,
      );
    else
      for (const surveyed of tools)
        io.out(`${surveyed.tool.name}: ${stateOf(surveyed, scope)}. ${visibleText(toEntry(surveyed, scope).reason)}\n`);
    return exitCodes.done;
  });
}

/** For before a deployment, or after one that was not followed by a server. */
export function sync(io: Io, options: CatalogueOptions): Promise<number> {
  return withCatalogue(io, options, async ({ catalogue, toolwright }) => {
    if (options.agent !== undefined || options.tenant !== undefined)
      throw new CliError("The tools of code belong to no tenant and no agent. Leave --tenant and --agent out.");
    const complete = toolwright.loaded?.problems.length === 0 || toolwright.loaded === undefined;
    const report = await catalogue.sync(toolwright.engine.snapshot(), { complete });
    await catalogue.leave();
    io.out(options.json ? `${JSON.stringify(report, null, 2)}\n` : `${describeSync(report).join("\n") || "Nothing changed."}\n`);
    return exitCodes.done;
  });
}
