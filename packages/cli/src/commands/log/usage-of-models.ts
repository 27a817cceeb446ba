import { type TurnUsage, type TurnUsageGroup, turnUsageGroups } from "@toolwright/engine/ports";
import { jsonLine, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { moneyOf } from "../../output/money.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

export interface ModelUsageOptions extends TenantOptions, RemoteOptions {
  readonly by: string;
  readonly since: string;
  readonly tool?: string;
  readonly agent?: string;
}

const columns = ["turns", "requests", "tokens in", "cached", "written", "tokens out", "reasoning", "cost $"];

/** What agents asked of models. */
export function usageOfModels(io: Io, options: ModelUsageOptions): Promise<number> {
  const { by, agent, tool } = options;
  if (!isGroup(by)) throw new CliError(`--models cannot be summed up by ${by}. Write one of: ${turnUsageGroups.join(", ")}.`);
  if (tool !== undefined) throw new CliError("--tool chooses calls, and a request to a model is none. Leave it out.");
  const since = readPast("--since", options.since);
  return withOperations(io, options, async (operate) => {
    const { items: rows } = await operate("usage.models", { by, since, agent });
    if (options.json) io.out(`${jsonLine(rows)}\n`);
    else if (rows.length === 0) io.out("No agent asked a model in that time.\n");
    else io.out(`${renderTable([by, ...columns], rows.map(toRow), io.columns)}\n${describeGaps(rows)}`);
    return exitCodes.done;
  });
}

const isGroup = (text: string): text is TurnUsageGroup => (turnUsageGroups as readonly string[]).includes(text);

const toRow = (row: TurnUsage) =>
  [
    row.key,
    row.turns,
    row.requests,
    row.inputTokens,
    row.cachedInputTokens,
    row.cacheWriteTokens,
    row.outputTokens,
    row.reasoningTokens,
    row.cost === null ? "" : moneyOf(row.cost),
  ].map((cell) => oneLine(String(cell)));

/** What the numbers leave out. */
function describeGaps(rows: readonly TurnUsage[]): string {
  const turns = (of: "unpriced" | "estimated") => {
    const count = rows.reduce((sum, row) => sum + row[of], 0);
    return `${count} ${count === 1 ? "turn" : "turns"}`;
  };
  const lines = [
    ...(rows.some(({ unpriced }) => unpriced > 0) ? [`Without the cost of ${turns("unpriced")}, whose model has no known price.`] : []),
    ...(rows.some(({ estimated }) => estimated > 0)
      ? [`The tokens of ${turns("estimated")} are estimated: the provider did not count.`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join("");
}
