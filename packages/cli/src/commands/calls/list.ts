import type { ToolSummary } from "@toolwright/engine/operations";
import { nearestName, visibleText } from "@toolwright/engine/visible-text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withAnswerer } from "./with-tool.ts";

type ListOptions = CommonOptions &
  Pick<RemoteOptions, "server"> & { readonly group?: string; readonly agent?: string; readonly search?: string };

export function list(io: Io, options: ListOptions): Promise<number> {
  return withAnswerer(io, { ...options, callsNothing: true }, async ({ operate }) => {
    const { items: all } = await operate("tools.list", {});
    const listed = options.group === undefined ? all : ofGroup(all, options.group);
    const tools = options.search === undefined ? listed : await find(listed, options.search, { io, operate });
    if (options.json) io.out(`${JSON.stringify(tools.map(toJson), null, 2)}\n`);
    else io.out(`${renderTable(["name", "group", "effects", "description"], tools.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

/** Those that were found, best first. */
async function find(
  tools: readonly ToolSummary[],
  query: string,
  { io, operate }: { readonly io: Io; readonly operate: Operate },
): Promise<readonly ToolSummary[]> {
  const { items, ranking } = await operate("tools.search", { query, limit: 50 });
  if (ranking.reason !== undefined) io.err(`Found by words alone. ${visibleText(ranking.reason)}\n`);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return items.flatMap(({ name }) => byName.get(name) ?? []);
}

function ofGroup(tools: readonly ToolSummary[], group: string): readonly ToolSummary[] {
  const found = tools.filter((tool) => tool.group === group);
  if (found.length > 0) return found;
  const groups = [...new Set(tools.map((tool) => tool.group))];
  const nearest = nearestName(group, groups);
  throw new CliError(`There is no group "${group}".${nearest ? ` Did you mean "${nearest}"?` : ""} Groups: ${groups.join(", ")}.`);
}

function toRow({ name, group, effects, description }: ToolSummary): string[] {
  return [name, group, describeEffects(effects), visibleText(description.split(/(?<=\.)\s/)[0] ?? "")];
}

function describeEffects(effects: ToolSummary["effects"]): string {
  const parts = Object.entries(effects).filter(([, level]) => level !== undefined && level !== false);
  return parts.map(([name, level]) => (typeof level === "string" ? `${name}:${level}` : name)).join(" ") || "none";
}

function toJson({ name, title, group, description, inputSchema, outputSchema, effects, hints, examples, origin }: ToolSummary) {
  return { name, title, group, description, inputSchema, outputSchema, effects, hints, examples, origin };
}
