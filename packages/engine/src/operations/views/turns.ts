import { isPlainObject, type Json } from "../../contract/json.ts";
import { minuteOf } from "../../contract/minute-of.ts";
import { type ConversationMessage, describeCut, type TurnRecord, type WaitingMessage } from "../../ports/turns.ts";
import type { Rendering } from "../shell.ts";

type Listed = Pick<TurnRecord, "id" | "state" | "agent" | "createdAt" | "steps" | "text"> & {
  readonly parent?: string | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
};

interface ShownTurn extends Listed {
  readonly conversation: string;
  readonly children: readonly string[];
  readonly limit?: string | undefined;
  readonly finishReason?: TurnRecord["finishReason"] | undefined;
  readonly waitsFor: readonly string[];
  readonly usage: {
    readonly inputTokens?: number | undefined;
    readonly outputTokens?: number | undefined;
    readonly estimated?: boolean | undefined;
    readonly cost?: number | string | undefined;
  };
  readonly messages?: readonly Pick<ConversationMessage, "message">[] | undefined;
  readonly queued?: readonly Pick<WaitingMessage, "message">[] | undefined;
}

export const turnsView: Rendering<{ readonly items: readonly Listed[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no such turns. Begin one with: toolwright chat assistant 'Hello'"]
      : [{ head: ["id", "state", "agent", "parent", "began", "steps", "answer"], rows: items.map(toRow) }],
};

export const turnView: Rendering<ShownTurn> = {
  show: ({ messages = [], queued = [], ...turn }, { where }) => [
    ...describeTurn(turn, where),
    "",
    ...messages.flatMap(({ message }) => describeMessage(message)),
    ...queued.flatMap(({ message }) => describeMessage(message)).map((line) => `${line} (waits for the next step)`),
  ],
};

export const cancelledTurnView: Rendering<Pick<TurnRecord, "id" | "state"> & { readonly endedAt?: number | undefined }> = {
  show: ({ id, state, endedAt }, { where }) => [
    { note: endedAt === undefined ? `It is being stopped: toolwright turns show${where} ${id}` : `It is ${state}.` },
  ],
};

const toRow = ({ id, state, agent, parent = "", createdAt, steps, text, error }: Listed) => [
  ...[id, state, agent, parent, minuteOf(createdAt), `${steps}`, (error?.message ?? text).trim().replace(/\s+/g, " ")],
];

function describeTurn(turn: ShownTurn, where: string): readonly string[] {
  const { id, state, agent, conversation, parent, children, error, limit, finishReason, waitsFor, usage } = turn;
  return [
    `${id}: ${state}, ${agent}, conversation ${conversation}`,
    ...(parent === undefined ? [] : [`A sub-agent of: toolwright turns show${where} ${parent}`]),
    ...children.map((child) => `Its sub-agent: toolwright turns show${where} ${child}`),
    ...(error ? [`Failed (${error.code}): ${error.message}`] : []),
    ...(limit === undefined ? [] : [`Ended by its limit of ${limit}.`]),
    ...(finishReason === undefined ? [] : [describeCut(finishReason)]),
    ...waitsFor.map((approval) => `Waits for a person: toolwright approvals show${where} ${approval}`),
    describeUsage(usage),
  ];
}

function describeUsage({ inputTokens = 0, outputTokens = 0, estimated, cost }: ShownTurn["usage"]): string {
  const money = cost === undefined ? "" : `; cost: $${cost}`;
  return `Tokens: ${inputTokens} read, ${outputTokens} written${estimated ? " (estimated)" : ""}${money}`;
}

function describeMessage(message: Json): readonly string[] {
  const { role, content } = partOf(message);
  if (typeof content === "string") return [`${role}: ${content}`];
  return Array.isArray(content) ? content.flatMap((part) => describePart(role, partOf(part))) : [];
}

function describePart(role: unknown, { type, text, toolName, input, output, filename }: Part): readonly string[] {
  if (type === "text") return [`${role}: ${text}`];
  if (type === "tool-call") return [`  call ${toolName} ${JSON.stringify(input)}`];
  if (type === "file") return [`${role}: [${filename}]`];
  return type === "tool-result" ? [`  ${toolName}: ${textOf(output).trimEnd().replaceAll("\n", "\n    ")}`] : [];
}

function textOf(output: unknown): string {
  const { value, reason } = partOf(output);
  if (typeof reason === "string") return reason;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

type Part = Readonly<Record<string, unknown>>;

const partOf = (value: unknown): Part => (isPlainObject(value) ? value : {});
