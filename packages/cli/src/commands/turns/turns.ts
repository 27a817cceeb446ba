import type { OperationTypes } from "@toolwright/engine/operations";
import { describeCut, turnStates, visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { readMessages, type SaidInTurn } from "./read-messages.ts";

type TurnOptions = TenantOptions & RemoteOptions;
type Turn = OperationTypes["turns.get"]["output"];

interface ListOptions extends TenantOptions, RemoteOptions {
  readonly conversation?: string;
  readonly agent?: string;
  readonly state?: readonly string[];
  readonly limit?: string;
}

const withTurns = (io: Io, options: TurnOptions, use: (operate: Operate) => Promise<number>) =>
  asPerson(io, { ...options, callsNothing: true }, ({ operate }) => use(operate));

export function list(io: Io, { conversation, agent, state, limit, ...options }: ListOptions): Promise<number> {
  return withTurns(io, options, async (operate) => {
    const states = state?.map(readState);
    const most = limit === undefined ? undefined : readCount(limit);
    const { items } = await operate("turns.list", { conversation, agent, states, limit: most });
    if (options.json) io.out(`${JSON.stringify(items, null, 2)}\n`);
    else if (items.length === 0) io.out("There are no such turns. Begin one with: toolwright chat assistant 'Hello'\n");
    else io.out(`${renderTable(["id", "state", "agent", "parent", "began", "steps", "answer"], items.map(toRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

export function show(io: Io, options: TurnOptions, [id = ""]: readonly string[]): Promise<number> {
  return withTurns(io, options, async (operate) => {
    const turn = await operate("turns.get", { id });
    const said = await readMessages(operate, turn);
    io.out(options.json ? `${JSON.stringify({ ...turn, ...said }, null, 2)}\n` : describe(turn, said, describeWhereabouts(options)));
    return exitCodes.done;
  });
}

export function cancel(io: Io, options: TurnOptions & { readonly reason?: string }, [id = ""]: readonly string[]): Promise<number> {
  return withTurns(io, options, async (operate) => {
    const turn = await operate("turns.cancel", { id, reason: options.reason });
    if (options.json) io.out(`${JSON.stringify(turn, null, 2)}\n`);
    else if (turn.endedAt !== undefined) io.err(`It is ${turn.state}.\n`);
    else io.err(`It is being stopped: toolwright turns show${describeWhereabouts(options)} ${id}\n`);
    return exitCodes.done;
  });
}

function toRow({ id, state, agent, parent = "", createdAt, steps, text, error }: Turn): readonly string[] {
  return [id, state, agent, parent, new Date(createdAt).toISOString(), `${steps}`, (error?.message ?? text).trim().replace(/\s+/g, " ")];
}

function describe(turn: Turn, { messages, queued }: SaidInTurn, where: string): string {
  const { id, state, agent, conversation, parent, children, error, limit, finishReason, waitsFor, usage } = turn;
  const lines = [
    `${id}: ${state}, ${agent}, conversation ${conversation}`,
    ...(parent === undefined ? [] : [`A sub-agent of: toolwright turns show${where} ${parent}`]),
    ...children.map((child) => `Its sub-agent: toolwright turns show${where} ${child}`),
    ...(error ? [`Failed (${error.code}): ${error.message}`] : []),
    ...(limit === undefined ? [] : [`Ended by its limit of ${limit}.`]),
    ...(finishReason === undefined ? [] : [describeCut(finishReason)]),
    ...waitsFor.map((approval) => `Waits for a person: toolwright approvals show${where} ${approval}`),
    describeUsage(usage),
    "",
    ...messages.flatMap(({ message }) => describeMessage(message as unknown as Message)),
    ...queued.flatMap(({ message }) => describeMessage(message as unknown as Message)).map((line) => `${line} (waits for the next step)`),
  ];
  return `${visibleText(lines.join("\n"))}\n`;
}

function describeUsage({ inputTokens = 0, outputTokens = 0, estimated, cost }: Turn["usage"]): string {
  const money = cost === undefined ? "" : `; cost: $${cost}`;
  return `Tokens: ${inputTokens} read, ${outputTokens} written${estimated ? " (estimated)" : ""}${money}`;
}

interface Message {
  readonly role: string;
  readonly content:
    | string
    | readonly {
        readonly type: string;
        readonly text?: string;
        readonly toolName?: string;
        readonly input?: unknown;
        readonly output?: unknown;
        readonly filename?: string;
      }[];
}

function describeMessage({ role, content }: Message): readonly string[] {
  if (typeof content === "string") return [`${role}: ${content}`];
  return content.flatMap(({ type, text, toolName, input, output, filename }) => {
    if (type === "text") return [`${role}: ${text}`];
    if (type === "tool-call") return [`  call ${toolName} ${JSON.stringify(input)}`];
    if (type === "file") return [`${role}: [${filename}]`];
    return type === "tool-result" ? [`  ${toolName}: ${textOf(output).trimEnd().replaceAll("\n", "\n    ")}`] : [];
  });
}

function textOf(output: unknown): string {
  const { value, reason } = (output ?? {}) as { readonly value?: unknown; readonly reason?: string };
  return reason ?? (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));
}

function readState(text: string): Turn["state"] {
  const found = turnStates.find((state) => state === text);
  if (found) return found;
  throw new CliError(`--state ${JSON.stringify(text)} is no state of a turn. Use ${turnStates.join(", ")}.`);
}

function readCount(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new CliError(`--limit ${JSON.stringify(text)} is not a number from 1 to 999.`);
}
