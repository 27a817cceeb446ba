import { type Usage, type UsageGroup, usageGroups } from "@toolwright/engine/ports";
import { jsonLine, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

interface UsageOptions extends TenantOptions, RemoteOptions {
  readonly by: string;
  readonly since: string;
  readonly tool?: string;
  readonly agent?: string;
}

export function usage(io: Io, options: UsageOptions): Promise<number> {
  const { by, tool, agent } = options;
  if (!isGroup(by)) throw new CliError(`--by ${by} is not known. Write one of: ${usageGroups.join(", ")}.`);
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

/** Exact, and never as 1e-7. */
const moneyOf = (cost: number) => cost.toFixed(9).replace(/\.?0+$/, "");
