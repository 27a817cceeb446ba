import type { CallResult } from "../../api/client.ts";
import type { Item } from "../../api/queries.ts";

export interface ShownText {
  readonly kind: "text" | "reasoning";
  readonly id: string;
  readonly text: string;
}

export interface ShownCall {
  readonly kind: "call";
  readonly id: string;
  readonly tool: string;
  /** The tool's, as it was when it was called. */
  readonly title?: string;
  /** Undefined while the agent writes it. */
  readonly input?: unknown;
  /** Id of the approval that it waits for, or waited for. */
  readonly approval?: string;
  /** Id of the turn of the sub-agent that it began. */
  readonly turn?: string;
  /** What the tool wrote so far. */
  readonly progress?: string;
  readonly result?: CallResult;
  /** Why it never came to the gate. */
  readonly error?: string;
}

export type Shown = ShownText | ShownCall;
type Steps = readonly (readonly Shown[])[];

/** What people see of a turn. */
export interface ShownTurn {
  /** Of the last part that it holds. */
  readonly position: number;
  /** One for each answer of the model. */
  readonly steps: Steps;
  /** As they were when a step last began or ended: what came since may be void. */
  readonly settled: Steps;
  readonly isOver: boolean;
  /** Why nothing comes for a while: its model is asked again later. */
  readonly wait?: string;
  /** Why it failed. */
  readonly error?: string;
}

export const nothingShown: ShownTurn = { position: 0, steps: [], settled: [], isOver: false };

/** A chunk of the AI SDK's UI message stream v1, with the members that are read here. */
interface Chunk {
  readonly type: string;
  readonly id?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly title?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly preliminary?: boolean;
  readonly approvalId?: string;
  /** Of `data-sub-agent` and of `data-model-wait`. */
  readonly data?: { readonly toolCallId?: string; readonly turn?: string; readonly message?: string };
  readonly errorText?: string;
}

/** The turn with one more part of it. A part that it holds already changes nothing. */
export function addPart(turn: ShownTurn, { position, chunks }: Item<"turns.watch">): ShownTurn {
  if (position <= turn.position) return turn;
  return (chunks as unknown as readonly Chunk[]).reduce(addChunk, { ...turn, position });
}

/** What nothing here shows is passed over. A wait is over with whatever follows it. */
function addChunk({ wait: _, ...turn }: ShownTurn, chunk: Chunk): ShownTurn {
  switch (chunk.type) {
    case "data-model-wait":
      return { ...turn, wait: chunk.data?.message ?? "The model is asked again." };
    case "start-step":
      return { ...turn, settled: turn.steps, steps: [...turn.steps, []] };
    case "finish-step":
      return { ...turn, settled: turn.steps };
    case "reset-step":
      return { ...turn, steps: turn.settled };
    case "error":
      return { ...turn, error: chunk.errorText ?? "The turn failed." };
    case "finish":
      return { ...turn, isOver: true };
    default:
      return { ...turn, steps: changeSteps(turn.steps, chunk) };
  }
}

function changeSteps(steps: Steps, chunk: Chunk): Steps {
  const { id = "", toolCallId = "", toolName = "", title } = chunk;
  const named = { tool: toolName, ...(title !== undefined && { title }) };
  switch (chunk.type) {
    case "text-start":
    case "reasoning-start":
      return append(steps, { kind: chunk.type === "text-start" ? "text" : "reasoning", id, text: "" });
    case "text-delta":
    case "reasoning-delta":
      return changeLast(steps, isText(chunk), (part) => ({ ...part, text: part.text + (chunk.delta ?? "") }));
    case "tool-input-start":
      return append(steps, { kind: "call", id: toolCallId, ...named });
    case "tool-input-available":
      return changeOrAppend(steps, { kind: "call", id: toolCallId, ...named, input: chunk.input });
    case "data-sub-agent":
      return chunk.data?.toolCallId && chunk.data.turn
        ? changeOrAppend(steps, { kind: "call", id: chunk.data.toolCallId, turn: chunk.data.turn })
        : steps;
    default:
      return changeLast(steps, isCall(toolCallId), (part) => changeCall(part, chunk));
  }
}

function changeCall(call: ShownCall, { type, approvalId = "", output, preliminary, errorText = "" }: Chunk): ShownCall {
  switch (type) {
    case "tool-approval-request":
      return { ...call, approval: approvalId };
    case "tool-output-available":
      return preliminary ? { ...call, progress: textOf(output) } : { ...call, result: output as CallResult };
    case "tool-input-error":
    case "tool-output-error":
      return { ...call, error: errorText };
    default:
      return call;
  }
}

const textOf = (output: unknown): string => String((output as { readonly text?: string } | null)?.text ?? "");

const isText =
  ({ type, id }: Chunk) =>
  (part: Shown): part is ShownText =>
    part.kind === (type === "text-delta" ? "text" : "reasoning") && part.id === id;
const isCall =
  (id: string) =>
  (part: Shown): part is ShownCall =>
    part.kind === "call" && part.id === id;

function append(steps: Steps, part: Shown): Steps {
  return [...steps.slice(0, -1), [...(steps.at(-1) ?? []), part]];
}

/** Its sub-agent may be told of before the call itself. */
function changeOrAppend(steps: Steps, call: Omit<ShownCall, "tool"> & { readonly tool?: string }): Steps {
  if (!steps.at(-1)?.some(isCall(call.id))) return append(steps, { tool: "", ...call });
  return changeLast(steps, isCall(call.id), (part) => ({ ...part, ...call }));
}

/** Models give ids anew in each step: the last part with the id is meant. */
function changeLast<Part extends Shown>(steps: Steps, isMeant: (part: Shown) => part is Part, change: (part: Part) => Shown): Steps {
  const at = steps.findLastIndex((parts) => parts.some(isMeant));
  const step = steps[at];
  if (!step) return steps;
  const index = step.findLastIndex(isMeant);
  return steps.with(at, step.with(index, change(step[index] as Part)));
}
