import { type Source, ToolwrightError } from "@toolwright/engine";
import type { OperationTypes } from "@toolwright/engine/operations";
import { type RunStatus, runStatuses, type ToolRun } from "@toolwright/engine/ports";
import { jsonLine, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { describeDecisions } from "../../output/describe-decisions.ts";
import { renderTable } from "../../output/table.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

interface RunOptions extends TenantOptions, RemoteOptions {
  readonly tool?: string;
  readonly agent?: string;
  readonly status?: string;
  readonly source?: string;
  readonly user?: string;
  readonly door?: string;
  readonly decision?: string;
  readonly parent?: string;
  readonly since?: string;
  readonly after?: string;
  readonly limit?: string;
}

export function list(io: Io, options: RunOptions): Promise<number> {
  const filter = readFilter(options);
  return withOperations(io, options, async (operate) => {
    const { items: runs, next } = await operate("runs.list", filter);
    if (options.json) io.out(`${jsonLine({ runs, next: next ?? null })}\n`);
    else if (runs.length === 0) io.out(isEverything(filter) ? "There are no runs yet: toolwright call TOOL\n" : "There is no such run.\n");
    else io.out(`${renderTable(["id", "started", "status", "ms", "tool", "who", "error"], runs.map(toRow), io.columns)}\n`);
    if (next !== undefined && !options.json) io.err(`There are more: --after ${next}\n`);
    return exitCodes.done;
  });
}

const isEverything = ({ limit: _limit, ...narrowing }: Filter) => Object.values(narrowing).every((each) => each === undefined);

type Filter = OperationTypes["runs.list"]["input"];

function readFilter({ tool, agent, user, door, parent, status, source, decision, since, after, limit }: RunOptions): Filter {
  if (status !== undefined && !isStatus(status))
    throw new CliError(`--status ${status} is not known. Write one of: ${runStatuses.join(", ")}.`);
  if (source !== undefined && !sources.includes(source))
    throw new CliError(`--source ${source} is not known. Write one of: ${sources.join(", ")}.`);
  if (decision !== undefined && !isEffect(decision))
    throw new CliError(`--decision ${decision} is not known. Write one of: ${effects.join(", ")}.`);
  if (limit !== undefined && !/^[1-9]\d{0,2}$/.test(limit)) throw new CliError(`--limit ${limit} is not a number from 1 to 500.`);
  const from = since === undefined ? undefined : readPast("--since", since);
  return {
    tool,
    agent,
    user,
    door,
    parent,
    status,
    source,
    decision,
    since: from,
    after,
    limit: limit === undefined ? undefined : Number(limit),
  };
}

const sources = Object.keys({ web: true, agent: true, api: true, cli: true, mcp: true, schedule: true } satisfies Record<Source, true>);

const effects = ["allow", "ask", "deny"] as const;
const isEffect = (text: string): text is (typeof effects)[number] => (effects as readonly string[]).includes(text);

const isStatus = (text: string): text is RunStatus => (runStatuses as readonly string[]).includes(text);

const toRow = ({ id, startedAt, status, durationMs, tool, caller, agent, error }: ToolRun) =>
  [
    id,
    `${new Date(startedAt).toISOString().slice(0, 19)}Z`,
    status,
    durationMs === null ? "" : String(Math.round(durationMs)),
    tool,
    agent === null || agent === caller.id ? caller.id : `${caller.id} as ${agent}`,
    error ?? "",
  ].map(oneLine);

export function show(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const run = await operate("runs.get", { id }).catch(explainMissing(id));
    if (options.json) io.out(`${jsonLine(run)}\n`);
    else io.out(`${Object.entries(run).map(describeMember).join("\n")}\n`);
    return exitCodes.done;
  });
}

const explainMissing = (id: string) => (cause: unknown) => {
  if (!ToolwrightError.is(cause) || cause.code !== "run_not_found") throw cause;
  throw new CliError(`There is no run "${oneLine(id)}". See the newest with: toolwright runs list`, { cause });
};

export function why(io: Io, options: TenantOptions & RemoteOptions, [id = ""]: readonly string[]): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const told = await operate("runs.why", { id }).catch(explainMissing(id));
    if (options.json) io.out(`${jsonLine(told)}\n`);
    else io.out(`${describeDecisions(told).join("\n")}\n`);
    return exitCodes.done;
  });
}

function describeMember([name, value]: [string, unknown]): string {
  const text = name === "startedAt" ? new Date(value as number).toISOString() : typeof value === "string" ? value : JSON.stringify(value);
  return `${name.padEnd(11)} ${oneLine(text)}`;
}
