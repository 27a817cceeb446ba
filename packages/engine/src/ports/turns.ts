import type { CallError, CallResult } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Json } from "../contract/json.ts";
import type { Principal } from "../contract/principal.ts";
import type { CallUsage } from "../contract/usage.ts";
import type { Lease } from "./call-tree.ts";
import { definePort } from "./define-port.ts";
import type { TurnUsage, TurnUsageFilter } from "./turn-usage.ts";

/** `waiting` holds no process: a person is asked. The last three are endings. */
export const turnStates = ["running", "waiting", "done", "failed", "cancelled"] as const;
export type TurnState = (typeof turnStates)[number];

/** Why an answer ended before it was whole: the limit of output tokens, the provider's filter, or an error of its server. */
export const cutReasons = ["length", "content-filter", "error"] as const;
export type CutReason = (typeof cutReasons)[number];

/** A sentence for people and models who read an answer that was cut off. */
export function describeCut(reason: CutReason): string {
  return `The answer is cut off: ${causes[reason]}.`;
}

const causes: Readonly<Record<CutReason, string>> = {
  length: "the model reached its limit of output tokens",
  "content-filter": "the content filter of the provider stopped it",
  error: "the server of the model reported an error",
};

/** What an agent does about one message, from the message to its answer. Times in milliseconds since the epoch. */
export interface NewTurn {
  readonly id: string;
  readonly tenant: string;
  /** The session that the turn, its messages and its calls belong to. */
  readonly conversation: string;
  readonly agent: string;
  /** Id of the person whose conversation it is; without one, everybody of the tenant who may use the session may see it. */
  readonly owner?: string;
  /** Who asked: in every process the turn goes on as this one. */
  readonly principal: Principal;
  /** The call that made it: of `agent_run`, or of the tool that began a sub-agent. */
  readonly callId: string;
  /** The turn whose call began this sub-agent, and whose budget it spends. */
  readonly parent?: string;
  /** True for a sub-agent that its parent does not wait for: it goes on by itself. The parent goes on with the others, and ends them. */
  readonly background?: boolean;
  readonly createdAt: number;
}

/** A turn with what its agent is until the turn has ended, in the form of whoever began it. */
export interface OpeningTurn extends NewTurn {
  readonly profile?: Json;
}

export interface TurnRecord extends NewTurn {
  readonly state: TurnState;
  /** Model responses that are stored. */
  readonly steps: number;
  /** The answer; empty until there is one. */
  readonly text: string;
  /** The limit that ended the turn before the model did: `steps`, `tokens`, `cost`, ... */
  readonly limit?: string;
  /** Why the answer is not whole; absent for one that is. */
  readonly finishReason?: CutReason;
  readonly error?: CallError;
  /** Ids of the approvals that it waits for. */
  readonly waitsFor: readonly string[];
  /** Why it is to end; nothing more runs. */
  readonly cancelReason?: string;
  readonly usage: CallUsage;
  readonly endedAt?: number;
}

/** One message of a conversation, as `ModelMessage` of the AI SDK 7 has it; what tools gave is redacted. */
export interface ConversationMessage {
  /** 1-based and gapless in its conversation. */
  readonly sequence: number;
  readonly turn: string;
  readonly message: Json;
  readonly at: number;
}

/** A message that was sent while a turn ran, and that no request to the model holds yet. */
export interface QueuedMessage {
  readonly id: string;
  readonly message: Json;
}

/** A queued message with the turn that takes it up. */
export interface WaitingMessage extends QueuedMessage {
  readonly turn: string;
}

/** A response of the model whose calls have not all ended. */
export interface OpenStep {
  /** 1-based in its turn. */
  readonly step: number;
  /** What the model answered, in the form of whoever stored it. */
  readonly response: Json;
  /** How calls of it ended before the turn began to wait, by their ids in the response. */
  readonly results: Readonly<Record<string, CallResult>>;
}

/** A turn that one process holds, with all that it needs to go on. */
export interface HeldTurn {
  readonly turn: TurnRecord;
  /** As it was when the turn began, whatever the agent is now. */
  readonly profile?: Json;
  /** The conversation so far, in order. */
  readonly messages: readonly Json[];
  /** What requests hold in the place of some of them, in the form of whoever stored it. */
  readonly context?: Json;
  readonly open?: OpenStep;
  /** Ids of the approvals that it waited for until it was taken up. */
  readonly waitedFor: readonly string[];
}

export interface TurnRef {
  readonly tenant: string;
  readonly id: string;
}

/** Names the run that holds the turn: another one is refused. */
export interface TurnHold extends TurnRef {
  readonly holder: string;
}

/** Tokens and US dollars of requests to models. */
export interface TurnBudget {
  readonly tokens: number;
  readonly cost: number;
}

/** What the holder learns before it asks the model again. */
export interface TurnNews {
  readonly queued: readonly QueuedMessage[];
  readonly cancelReason?: string;
  /**
   * What the turn and its sub-agents took, or its parent with all of that one's, and what requests of the others among them have reserved. Of two
   * who ask at once, one sees what the other reserved.
   */
  readonly taken: TurnBudget;
}

/** A response, with what it follows: written together or not at all. */
export interface KeptStep {
  /** 1-based in its turn. */
  readonly step: number;
  readonly response: Json;
  /** Messages of the step before, whose calls have ended by now. */
  readonly settled: readonly Json[];
  /** Queued messages that the request held, in their order; they follow `settled`. */
  readonly delivered: readonly string[];
  /** Usage of the whole turn. */
  readonly usage: CallUsage;
  readonly at: number;
}

export interface TurnEnding {
  readonly state: "done" | "failed" | "cancelled";
  readonly text: string;
  readonly limit?: string;
  readonly finishReason?: CutReason | undefined;
  readonly error?: CallError;
  /** Messages of the last step. */
  readonly settled: readonly Json[];
  readonly usage: CallUsage;
  readonly at: number;
}

export type BegunTurn =
  | ({ readonly kind: "begun" } & HeldTurn)
  /** Another turn of the conversation is open and takes the message up. */
  | { readonly kind: "queued"; readonly turn: TurnRecord };

export interface TurnFilter {
  readonly owner?: string | undefined;
  readonly conversation?: string | undefined;
  readonly agent?: string | undefined;
  /** Only turns of sub-agents of these turns. */
  readonly parents?: readonly string[] | undefined;
  readonly states?: readonly TurnState[] | undefined;
  /** Default 50, at most 500. */
  readonly limit?: number | undefined;
}

export interface MessageFilter {
  readonly tenant: string;
  readonly conversation: string;
  /** Only messages after this sequence. */
  readonly after?: number | undefined;
  /** Default and most: 500. */
  readonly limit?: number | undefined;
}

/**
 * Turns of agents and the messages of their conversations. *Contract:* a conversation has at most one turn that is running or waiting, over all
 * processes. Writes of a run that does not hold the turn any more change nothing and resolve to false, or undefined. What one write holds is
 * stored together or not at all.
 */
export interface Turns {
  /** The turn begins with its message and is held; where the conversation has an open turn, the message is queued for that one. */
  begin(turn: OpeningTurn, message: Json, lease: Lease): Promise<BegunTurn>;
  get(ref: TurnRef): Promise<TurnRecord | undefined>;
  /** Newest first. */
  list(tenant: string, filter: TurnFilter): Promise<readonly TurnRecord[]>;
  /** By model, agent and tenant, most tokens first; by day, oldest first. */
  usage(filter: TurnUsageFilter): Promise<readonly TurnUsage[]>;
  /** In order. */
  messages(filter: MessageFilter): Promise<readonly ConversationMessage[]>;
  /** What is queued for the open turn of a conversation, in order. */
  queued(conversation: Pick<MessageFilter, "tenant" | "conversation">): Promise<readonly WaitingMessage[]>;
  /** Undefined for one that is held by another run, has ended or is not there. A waiting turn runs again. */
  take(ref: TurnRef, lease: Lease, now: number): Promise<HeldTurn | undefined>;
  /**
   * Turns of any tenant that nobody goes on with, oldest first: running ones whose holder showed no life for its lease, without those of sub-agents that
   * their parents go on with, and waiting ones for which all is answered and whose call is gone, as a store that outlives its processes may have them.
   * They stay as they are: `take` takes one up.
   */
  lost(options: { readonly now: number; readonly limit: number }): Promise<readonly TurnRecord[]>;
  /** Reserves what the next request will take, until its response is kept or the turn waits or ends. */
  news(held: TurnHold, next: TurnBudget): Promise<TurnNews | undefined>;
  keep(held: TurnHold, step: KeptStep): Promise<boolean>;
  /** What requests of the conversation hold from now on in the place of some of its messages, which stay as they are. */
  keepContext(held: TurnHold, context: Json): Promise<boolean>;
  /** Prolongs the lease, or ends it. `usage` is of the whole turn; left out, it stays. */
  hold(held: TurnHold, change: Pick<Lease, "until"> & Partial<Pick<TurnRecord, "usage">>): Promise<boolean>;
  /** Lets go of a turn that waits for people. `results` are those of calls of the open step that have ended, `usage` is of the whole turn. */
  wait(held: TurnHold, waiting: Pick<TurnRecord, "waitsFor" | "usage"> & Pick<OpenStep, "results">): Promise<boolean>;
  /**
   * Ends the turn, with what was queued for it as the last messages of the conversation. A turn that would be `done` without a limit goes on
   * where something was queued: it stays held, and this resolves to what the next request is to hold. Empty when it has ended.
   */
  end(held: TurnHold, ending: TurnEnding): Promise<readonly QueuedMessage[] | undefined>;
  /** Has the turn end; the run that holds it, or the next one, does so. Undefined where there is none. One that has ended stays as it is. */
  cancel(ref: TurnRef, reason: string): Promise<TurnRecord | undefined>;
  /** Calls back when a turn of the tenant changed, and without an id when some may have; not for each response that is kept. Returns how to stop. */
  follow(tenant: string, listener: (id: string | undefined) => void): () => void;
}

export const turnsPort = definePort<Turns>()("turns", "a store of turns, such as createMemoryTurns()");

const defaultTurns = 50;
const mostRows = 500;

/** How many turns a list holds. */
export function turnLimit({ limit = defaultTurns }: Pick<TurnFilter, "limit">): number {
  return Math.min(Math.max(1, limit), mostRows);
}

/** How many messages a list holds. */
export function messageLimit({ limit = mostRows }: Pick<MessageFilter, "limit">): number {
  return Math.min(Math.max(1, limit), mostRows);
}

/** What these turns took and have reserved. */
export function sumBudgets(turns: Iterable<{ readonly usage: CallUsage; readonly reserved: Partial<TurnBudget> }>): TurnBudget {
  let [tokens, cost] = [0, 0];
  for (const { usage, reserved } of turns) {
    tokens += (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) + (reserved.tokens ?? 0);
    cost += (usage.cost ?? 0) + (reserved.cost ?? 0);
  }
  return { tokens, cost };
}

export function isOpenTurn({ state }: Pick<TurnRecord, "state">): boolean {
  return state === "running" || state === "waiting";
}

/** The error of a turn that there is not, or that the principal may not see. */
export function turnNotFound(id: string): ToolwrightError {
  return new ToolwrightError(
    "turn_not_found",
    `There is no turn ${JSON.stringify(id)}. List the turns of the conversation to see what there is.`,
  );
}
