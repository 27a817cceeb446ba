import { copyJson, type Json } from "../contract/json.ts";
import type { Lease } from "../ports/call-tree.ts";
import type { TurnUsage, TurnUsageFilter } from "../ports/turn-usage.ts";
import {
  type BegunTurn,
  type ConversationMessage,
  type HeldTurn,
  isOpenTurn,
  type KeptStep,
  type MessageFilter,
  messageLimit,
  type OpeningTurn,
  type OpenStep,
  type QueuedMessage,
  sumBudgets,
  type TurnBudget,
  type TurnEnding,
  type TurnFilter,
  type TurnHold,
  type TurnNews,
  type TurnRecord,
  type TurnRef,
  type Turns,
  turnLimit,
  type WaitingMessage,
} from "../ports/turns.ts";
import { sumTurnUsage } from "./turn-usage.ts";

interface Row {
  /** Another one with each change, so that readers have it as it is. */
  turn: TurnRecord;
  profile: Json | undefined;
  open: OpenStep | undefined;
  queued: readonly QueuedMessage[];
  reserved: Partial<TurnBudget>;
  holder: string;
  heldUntil: number;
}

const keyOf = ({ tenant, id }: TurnRef) => JSON.stringify([tenant, id]);
const conversationKey = ({ tenant, conversation }: Pick<TurnRecord, "tenant" | "conversation">) => JSON.stringify([tenant, conversation]);
const copy = <Value>(value: Value) => copyJson(value) as Value;

/** Keeps turns and conversations in memory: lost with the process. JSON is kept as given, which nobody changes, and copied for readers. */
export function createMemoryTurns(): Turns {
  return new MemoryTurns();
}

class MemoryTurns implements Turns {
  readonly #rows = new Map<string, Row>();
  /** By the turn whose budget they spend. */
  readonly #families = new Map<string, Row[]>();
  /** The newest turn of each conversation: the only one that may be open. */
  readonly #newest = new Map<string, Row>();
  readonly #conversations = new Map<string, ConversationMessage[]>();
  readonly #contexts = new Map<string, Json>();
  readonly #listeners = new Set<{ readonly tenant: string; readonly tell: (id: string) => void }>();
  #queuedSoFar = 0;

  async begin({ profile, ...turn }: OpeningTurn, message: Json, { holder, until }: Lease): Promise<BegunTurn> {
    const open = this.#openIn(turn);
    if (open) {
      this.#queuedSoFar += 1;
      open.queued = [...open.queued, { id: `${this.#queuedSoFar}`, message }];
      this.#tell(open.turn);
      return { kind: "queued", turn: open.turn };
    }
    const made: TurnRecord = { ...copy(turn), state: "running", steps: 0, text: "", waitsFor: [], usage: {} };
    const row: Row = { turn: made, profile: copy(profile), open: undefined, queued: [], reserved: {}, holder, heldUntil: until };
    this.#rows.set(keyOf(turn), row);
    this.#newest.set(conversationKey(turn), row);
    this.#familyOf(turn).push(row);
    this.#say(row, [message], turn.createdAt);
    this.#tell(turn);
    return { kind: "begun", ...this.#toHeld(row) };
  }

  async get(ref: TurnRef): Promise<TurnRecord | undefined> {
    return this.#rows.get(keyOf(ref))?.turn;
  }

  async list(tenant: string, { owner, conversation, agent, parents, states, limit }: TurnFilter): Promise<readonly TurnRecord[]> {
    const found = [...this.#rows.values()].filter(
      ({ turn }) =>
        turn.tenant === tenant &&
        (owner ?? turn.owner) === turn.owner &&
        (conversation ?? turn.conversation) === turn.conversation &&
        (agent ?? turn.agent) === turn.agent &&
        (parents?.includes(turn.parent ?? "") ?? true) &&
        (states?.includes(turn.state) ?? true),
    );
    return found
      .reverse()
      .slice(0, turnLimit({ limit }))
      .map(({ turn }) => turn);
  }

  async usage(filter: TurnUsageFilter): Promise<readonly TurnUsage[]> {
    return sumTurnUsage(
      [...this.#rows.values()].map(({ turn }) => turn),
      filter,
    );
  }

  async messages({ tenant, conversation, after = 0, limit }: MessageFilter): Promise<readonly ConversationMessage[]> {
    const found = this.#conversation(tenant, conversation).filter(({ sequence }) => sequence > after);
    return copy(found.slice(0, messageLimit({ limit })));
  }

  async queued(conversation: Pick<MessageFilter, "tenant" | "conversation">): Promise<readonly WaitingMessage[]> {
    const open = this.#openIn(conversation);
    return open ? open.queued.map((each) => ({ ...copy(each), turn: open.turn.id })) : [];
  }

  async take(ref: TurnRef, { holder, until }: Lease, now: number): Promise<HeldTurn | undefined> {
    const row = this.#rows.get(keyOf(ref));
    const isFree = row?.turn.state === "waiting" || (row?.turn.state === "running" && row.heldUntil <= now);
    if (!row || !isFree) return undefined;
    const { waitsFor } = row.turn;
    row.turn = { ...row.turn, state: "running", waitsFor: [] };
    row.holder = holder;
    row.heldUntil = until;
    this.#tell(ref);
    return this.#toHeld(row, waitsFor);
  }

  async lost({ now, limit }: { readonly now: number; readonly limit: number }): Promise<readonly TurnRecord[]> {
    const found = [...this.#rows.values()].filter(
      ({ turn, heldUntil }) => turn.state === "running" && (turn.parent === undefined || turn.background) && heldUntil <= now,
    );
    return found.slice(0, limit).map(({ turn }) => turn);
  }

  async news(held: TurnHold, next: TurnBudget): Promise<TurnNews | undefined> {
    const row = this.#heldBy(held);
    if (!row) return undefined;
    row.reserved = {};
    const taken = sumBudgets(this.#familyOf(row.turn).map(({ turn: { usage }, reserved }) => ({ usage, reserved })));
    row.reserved = next;
    const { cancelReason } = row.turn;
    return { queued: copy(row.queued), taken, ...(cancelReason !== undefined && { cancelReason }) };
  }

  async keep(held: TurnHold, { step, response, settled, delivered, usage, at }: KeptStep): Promise<boolean> {
    const row = this.#heldBy(held);
    if (!row) return false;
    const taken = row.queued.filter(({ id }) => delivered.includes(id));
    this.#say(row, [...settled, ...taken.map(({ message }) => message)], at);
    row.queued = row.queued.filter(({ id }) => !delivered.includes(id));
    row.open = { step, response, results: {} };
    row.turn = { ...row.turn, steps: step, usage };
    row.reserved = {};
    this.#tell(held);
    return true;
  }

  async keepContext(held: TurnHold, context: Json): Promise<boolean> {
    const row = this.#heldBy(held);
    if (row) this.#contexts.set(conversationKey(row.turn), copy(context));
    return row !== undefined;
  }

  async hold(held: TurnHold, { until, usage }: Pick<Lease, "until"> & Partial<Pick<TurnRecord, "usage">>): Promise<boolean> {
    const row = this.#heldBy(held);
    if (!row) return false;
    row.heldUntil = until;
    if (usage) row.turn = { ...row.turn, usage: copy(usage) };
    return true;
  }

  async wait(
    held: TurnHold,
    { waitsFor, results, usage }: Pick<TurnRecord, "waitsFor" | "usage"> & Pick<OpenStep, "results">,
  ): Promise<boolean> {
    const row = this.#heldBy(held);
    if (!row) return false;
    if (row.open) row.open = { ...row.open, results: copy(results) };
    row.turn = { ...row.turn, state: "waiting", waitsFor, usage: copy(usage) };
    row.reserved = {};
    this.#tell(held);
    return true;
  }

  async end(held: TurnHold, { settled, at, finishReason, ...ending }: TurnEnding): Promise<readonly QueuedMessage[] | undefined> {
    const row = this.#heldBy(held);
    if (!row) return undefined;
    const { queued } = row;
    this.#say(row, [...settled, ...queued.map(({ message }) => message)], at);
    row.queued = [];
    row.reserved = {};
    row.open = undefined;
    const goesOn = queued.length > 0 && ending.state === "done" && ending.limit === undefined;
    row.turn = goesOn
      ? { ...row.turn, usage: ending.usage }
      : { ...row.turn, ...ending, ...(finishReason && { finishReason }), endedAt: at };
    if (!goesOn) row.profile = undefined;
    this.#tell(held);
    return goesOn ? queued : [];
  }

  async cancel(ref: TurnRef, reason: string): Promise<TurnRecord | undefined> {
    const row = this.#rows.get(keyOf(ref));
    if (row && isOpenTurn(row.turn)) {
      row.turn = { ...row.turn, cancelReason: row.turn.cancelReason ?? reason };
      this.#tell(ref);
    }
    return row?.turn;
  }

  follow(tenant: string, tell: (id: string | undefined) => void): () => void {
    const entry = { tenant, tell };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  #openIn(conversation: Pick<MessageFilter, "tenant" | "conversation">): Row | undefined {
    const row = this.#newest.get(conversationKey(conversation));
    return row && isOpenTurn(row.turn) ? row : undefined;
  }

  /** The turn or its parent, with all sub-agents. */
  #familyOf({ tenant, id, parent = id }: Pick<TurnRecord, "tenant" | "id" | "parent">): Row[] {
    const key = keyOf({ tenant, id: parent });
    const known = this.#families.get(key) ?? [];
    this.#families.set(key, known);
    return known;
  }

  #conversation(tenant: string, conversation: string): ConversationMessage[] {
    const key = conversationKey({ tenant, conversation });
    const known = this.#conversations.get(key) ?? [];
    this.#conversations.set(key, known);
    return known;
  }

  #say({ turn }: Row, messages: readonly Json[], at: number): void {
    const conversation = this.#conversation(turn.tenant, turn.conversation);
    for (const message of messages) conversation.push({ sequence: conversation.length + 1, turn: turn.id, message, at });
  }

  #heldBy(held: TurnHold): Row | undefined {
    const row = this.#rows.get(keyOf(held));
    return row?.holder === held.holder && row.turn.state === "running" ? row : undefined;
  }

  #toHeld({ turn, profile, open }: Row, waitedFor: readonly string[] = []): HeldTurn {
    const messages = this.#conversation(turn.tenant, turn.conversation).map(({ message }) => copy(message));
    const context = this.#contexts.get(conversationKey(turn));
    const rest = {
      ...(profile !== undefined && { profile: copy(profile) }),
      ...(context !== undefined && { context: copy(context) }),
      ...(open && { open: copy(open) }),
    };
    return { turn, messages, waitedFor, ...rest };
  }

  #tell({ tenant, id }: TurnRef): void {
    for (const listener of this.#listeners) if (listener.tenant === tenant) listener.tell(id);
  }
}
