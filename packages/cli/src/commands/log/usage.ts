import { type Usage, type UsageGroup, usageGroups } from "@toolwright/engine/ports";
import { jsonLine, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { moneyOf } from "../../output/money.ts";
import { renderTable } from "../../output/table.ts";
import { withOperations } from "../context/with-operations.ts";
import { type ModelUsageOptions, usageOfModels } from "./usage-of-models.ts";

interface UsageOptions extends ModelUsageOptions {
  readonly models?: boolean;
  readonly limits?: boolean;
}

export function usage(io: Io, options: UsageOptions): Promise<number> {
  if (options.limits) return usageOfLimits(io, options);
  return options.models || options.by === "model" ? usageOfModels(io, options) : usageOfCalls(io, options);
}

function usageOfCalls(io: Io, options: UsageOptions): Promise<number> {
  const { by, tool, agent } = options;
  if (!isGroup(by)) throw new CliError(`--by ${by} is not known. Write one of: ${usageGroups.join(", ")}, model.`);
  const since = readPast("--since", options.since);
  return withOperations(io, options, async (operate) => {
    const { items: rows } = await operate("usage.get", { by, since, tool, agent });
    if (options.json) io.out(`${jsonLine(rows)}\n`);
    else if (rows.length === 0) io.out("Nothing was called in that time.\n");
    else
      io.out(
        `${renderTable([by, "calls", "done", "failed", "unknown", "denied", "cancelled", "p50 ms", "p95 ms", "tokens in", "cached", "tokens out", "cost $"], rows.map(toRow), io.columns)}\n`,
      );
    return exitCodes.done;
  });
}

/** Prints the limits of the person at this command line. Options that choose calls are refused. */
function usageOfLimits(io: Io, { models, tool, agent, ...options }: UsageOptions): Promise<number> {
  if (models || tool !== undefined || agent !== undefined)
    throw new CliError("--limits lists your own limits. Leave --models, --tool and --agent out.");
  return withOperations(io, options, async (operate) => {
    const { items } = await operate("usage.limits", {});
    const number = (value: number) => value.toLocaleString("en-US");
    if (options.json) io.out(`${jsonLine(items)}\n`);
    else
      io.out(
        `${renderTable(
          ["you may have", "used", "at most"],
          items.map(({ counts, used, most }) => [counts, number(used), number(most)]),
          io.columns,
        )}\n`,
      );
    return exitCodes.done;
  });
}

const isGroup = (text: string): text is UsageGroup => (usageGroups as readonly string[]).includes(text);

const toRow = (row: Usage) =>
  [
    row.key || "(none)",
    row.calls,
    row.done,
    row.failed,
    row.unknown,
    row.denied,
    row.cancelled,
    row.p50Ms === null ? "" : Math.round(row.p50Ms),
    row.p95Ms === null ? "" : Math.round(row.p95Ms),
    row.inputTokens,
    row.cachedInputTokens,
    row.outputTokens,
    moneyOf(row.cost),
  ].map((cell) => oneLine(String(cell)));
