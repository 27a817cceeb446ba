import { type CallUsage, ToolwrightError } from "@toolwright/engine";
import { sumBudgets, type TurnBudget } from "@toolwright/engine/ports";
import type { AgentProfile, TurnLimits } from "../agent/agent-profile.ts";
import { costOf } from "../models/cost.ts";

/** Identical calls with the same result after which the agent is told so, and with which the turn ends. */
const notedRepeats = 3;
const mostRepeats = 6;

/** The limits of the agent, and of the turn whose budget it spends: its own, or its parent's. */
export interface RequestLimits {
  readonly own: TurnLimits;
  readonly shared: TurnLimits;
}

/** What a request takes, and what was taken so far. */
interface Spending {
  readonly next: TurnBudget;
  /** What the turn used. */
  readonly usage: CallUsage;
  /** What all turns took of the shared budget. */
  readonly taken: TurnBudget;
}

/** The next step of a turn. */
interface NextRequest extends Spending {
  /** Responses that are stored. */
  readonly steps: number;
  /** How often the last call was made with the same result. */
  readonly repeats: number;
}

export const requestLimits = ({ limits, share }: AgentProfile): RequestLimits => ({ own: limits, shared: share?.limits ?? limits });

/** What a request of so many tokens takes at least. */
export function budgetOf(model: string, tokens: number): TurnBudget {
  return { tokens, cost: costOfInput(model, tokens) ?? 0 };
}

/** Both together. */
export const addBudget = (one: TurnBudget, other: TurnBudget): TurnBudget => ({
  tokens: one.tokens + other.tokens,
  cost: one.cost + other.cost,
});

/** What the agent is told with its next request. With a `limit` it is the last one, without tools, to answer. */
export interface Verdict {
  readonly note?: string;
  readonly limit?: string;
}

/** There is no room for another request: the message is what people read in its place. */
export class LimitReached extends Error {
  readonly limit: string;

  constructor(limit: string, why = `the limit of ${limit} is reached`) {
    super(`The turn ended because ${why}. Send another message to go on.`);
    this.name = "LimitReached";
    this.limit = limit;
  }
}

/** Whether a limit stands against the next request, before it is made. Throws `LimitReached`. */
export function judgeRequest({ steps, repeats, next, usage, taken }: NextRequest, { own, shared }: RequestLimits): Verdict {
  if (repeats >= mostRepeats) throw new LimitReached("repeats", `it made the same call ${repeats} times with the same result`);
  const [full, last] = [1, 2].map((requests) => findFullOf({ next, usage, taken, requests }, { own, shared }));
  if (full !== undefined) throw new LimitReached(full);
  const limit = steps + 1 >= own.steps ? "steps" : last;
  if (limit !== undefined) return { limit, note: lastNote(limit) };
  return repeats < notedRepeats ? {} : { note: repeatsNote(repeats) };
}

/** True where there is room for a request that is no step. */
export const hasRoom = (request: Spending, limits: RequestLimits) => findFullOf({ ...request, requests: 1 }, limits) === undefined;

function findFullOf(
  { usage, taken, ...planned }: Spending & Pick<Planned, "requests">,
  { own, shared }: RequestLimits,
): string | undefined {
  return findFull(own, { ...planned, taken: sumBudgets([{ usage, reserved: {} }]) }) ?? findFull(shared, { ...planned, taken });
}

interface Planned {
  readonly taken: TurnBudget;
  readonly next: TurnBudget;
  /** How many there are to be. */
  readonly requests: number;
}

/** The limit in which there is no room for so many requests. */
function findFull({ tokens, cost = Number.POSITIVE_INFINITY }: TurnLimits, { taken, next, requests }: Planned): string | undefined {
  if (taken.tokens + requests * next.tokens > tokens) return "tokens";
  return taken.cost + requests * next.cost > cost ? "cost" : undefined;
}

const lastNote = (limit: string) =>
  `This is the last answer of this turn: the limit of ${limit} is reached. Answer now with what you have, without tools, and say what is left to do.`;

const repeatsNote = (repeats: number) =>
  `You made the same call ${repeats} times, and its result was the same each time. Do something else, or answer with what you have.`;

/** Cost of the input of a request; undefined for a model without a price. */
function costOfInput(model: string, total: number): number | undefined {
  return costOf(model, {
    inputTokens: { total, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 0, text: undefined, reasoning: undefined },
  });
}

/** Throws `model_unavailable` where there is a limit of cost and the model has no price. */
export function checkPrice(model: string, { own, shared }: RequestLimits): void {
  if ((own.cost ?? own.costADay ?? shared.cost) === undefined || costOfInput(model, 0) !== undefined) return;
  const message = `The model ${model} has no known price, so an agent with a limit of cost cannot use it. Choose a model with a price, or remove the limit.`;
  throw new ToolwrightError("model_unavailable", message);
}
