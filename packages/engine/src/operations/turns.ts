import { z } from "zod";
import { isPlainObject, type Json } from "../contract/json.ts";
import { RUN_AGENTS } from "../contract/permissions.ts";
import { findSession, managesSessions, maySeeSession, personOf, requireSession } from "../gate/session-access.ts";
import { chunksFor, type TurnPart, turnStreamPort } from "../ports/turn-stream.ts";
import {
  type ConversationMessage,
  cutReasons,
  isOpenTurn,
  type TurnFilter,
  type TurnRecord,
  turnNotFound,
  turnStates,
  turnsPort,
} from "../ports/turns.ts";
import { anyJson } from "../schema/any-json.ts";
import { callParts } from "./call-parts.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { limitUpTo, listOf, time } from "./json-parts.ts";
import { cancelledTurnView, turnsView, turnView } from "./views/turns.ts";

/** A turn without the principal that it goes on as. */
interface ListedTurn extends Omit<TurnRecord, "principal"> {
  /** Turns of the sub-agents that it began, in order. */
  readonly children: readonly string[];
}

const turn = z.object({
  id: z.string(),
  tenant: z.string(),
  conversation: z.string().describe("Id of the session that it belongs to"),
  agent: z.string(),
  owner: z.string().optional().describe("Id of the person whose conversation it is"),
  callId: z.string().describe("The call that began it: of agent_run, or of the tool that started a sub-agent"),
  parent: z.string().optional().describe("Of a sub-agent: the turn that started it"),
  background: z.boolean().optional().describe("Of a sub-agent: that turn does not wait for it"),
  children: z.array(z.string()).describe("Turns of the sub-agents that it started, in order"),
  createdAt: time("When it began"),
  state: z.enum(turnStates),
  steps: z.int().describe("Answers of the model so far"),
  text: z.string().describe("The answer; empty until there is one"),
  limit: z.string().optional().describe("The limit that ended it before the agent did"),
  finishReason: z.enum(cutReasons).optional().describe("Why the answer is cut off; absent for one that is whole"),
  error: callParts.error.optional().describe("Why it failed"),
  waitsFor: z.array(z.string()).describe("Ids of the approvals that it waits for"),
  cancelReason: z.string().optional().describe("Why it is to end"),
  usage: callParts.usage.describe("Tokens and cost"),
  endedAt: time("When it ended").optional(),
});

const content = anyJson("As ModelMessage of the AI SDK 7 has it");
const message = z.object({
  sequence: z.int().describe("From 1, without gaps"),
  turn: z.string(),
  message: content,
  at: time("When it was stored"),
});
const queued = z
  .array(z.object({ id: z.string(), turn: z.string().describe("The turn that runs"), message: content }))
  .describe("Messages that were sent while a turn runs and wait for its next step, in order");

type TurnPorts = OperationContext<typeof turnsPort>["ports"];

const own = "Principals see those of sessions that they may use; with the permission sessions:manage all of the tenant.";
const id = z.string().min(1);

export const listTurns = defineOperation({
  name: "turns.list",
  at: "GET /turns",
  title: "List turns",
  description: `Lists what agents did about messages, newest first. ${own}`,
  effect: "read",
  needs: [turnsPort],
  input: z.object({
    conversation: z.string().optional().describe("Only those of this conversation"),
    agent: z.string().optional().describe("Only those of this agent"),
    states: z.array(z.enum(turnStates)).optional().describe("Only those in these states"),
    limit: limitUpTo(500, 50),
  }),
  output: listOf(turn),
  shell: {
    form: "turns list",
    about: "List turns, newest first",
    options: {
      conversation: { flags: "--conversation <id>" },
      agent: { flags: "--agent <id>" },
      states: { flags: "--state <state...>", about: "only running, waiting, done, failed or cancelled ones" },
      limit: { about: "maximum number of turns (default: 50)" },
    },
    store: true,
  },
  view: turnsView,
  run: async (filter, context) => ({ items: await withChildren(await visibleTurns(filter, context), context.ports) }),
});

/** Turns of the tenant that the principal may see, newest first. */
export async function visibleTurns(
  filter: Omit<TurnFilter, "owner" | "parents">,
  { principal, parts, ports }: Pick<OperationContext<typeof turnsPort>, "principal" | "parts" | "ports">,
): Promise<readonly TurnRecord[]> {
  const session = filter.conversation === undefined ? undefined : await findSession(principal, filter.conversation, parts);
  const seesAll = managesSessions(principal) || (session !== undefined && maySeeSession(principal, session));
  const owner = seesAll ? undefined : personOf(principal);
  if (owner === undefined && !seesAll) return [];
  return ports.turns.list(principal.tenant, { ...filter, conversation: session?.id ?? filter.conversation, owner });
}

const getTurn = defineOperation({
  name: "turns.get",
  at: "GET /turns/{id}",
  title: "Get a turn",
  description: `Gets how far a turn of an agent is, or how it ended, and what was said in it where that is wanted. ${own}`,
  effect: "read",
  needs: [turnsPort],
  input: z.object({ id, said: z.boolean().optional().describe("True: with its messages, and those that wait for its next step") }),
  output: turn.extend({ messages: z.array(message).optional().describe("In order"), queued: queued.optional() }),
  shell: { form: "turns show <id>", about: "Show a turn with its messages", gives: { said: true }, store: true },
  view: turnView,
  async run({ id: wanted, said = false }, context) {
    const found = await requireTurn(wanted, context);
    const listed = await toListed(found, context.ports);
    return said ? { ...listed, ...(await readSaid(found, context.ports)) } : listed;
  },
});

export const cancelTurn = defineOperation({
  name: "turns.cancel",
  at: "POST /turns/{id}/cancel",
  title: "Cancel a turn",
  description: `Ends a turn: the model, its tools and what they wait for. What was said and done stays. One that has ended stays as it is. ${own}`,
  effect: "destructive",
  needs: [turnsPort],
  input: z.object({ id, reason: z.string().max(500).optional().describe("Why, for people and the model") }),
  output: turn,
  shell: {
    form: "turns cancel <id>",
    about: "Stop a turn: the model, its tools and what they wait for",
    options: { reason: { about: "what the agent should know" } },
  },
  view: cancelledTurnView,
  async run({ id: wanted, reason = "A person stopped it." }, context) {
    const found = await requireTurn(wanted, context);
    return toListed(await stopTurn(found, reason, context), context.ports);
  },
});

type Stopping = Pick<OperationContext<typeof turnsPort>, "parts" | "ports" | "principal">;

async function stopTurn(found: TurnRecord, reason: string, { principal, parts, ports }: Stopping): Promise<TurnRecord> {
  const cancelled = await ports.turns.cancel(found, reason);
  if (!cancelled || !isOpenTurn(cancelled)) return cancelled ?? found;
  // What it waits for is over, so whoever goes on with it next ends it.
  const answer = { outcome: { kind: "deny", message: reason }, by: principal.actor, at: parts.clock.now() } as const;
  for (const approval of cancelled.waitsFor) await parts.approvals.answer(principal.tenant, approval, answer);
  return cancelled;
}

/** Ends the open turn of a conversation, if it has one. */
export async function stopTurns(conversation: string, reason: string, context: Stopping): Promise<void> {
  const open = await context.ports.turns.list(context.principal.tenant, { conversation, states: ["running", "waiting"] });
  for (const each of open) await stopTurn(each, reason, context);
}

/** A piece of what people see of a turn. */
interface WatchedPart {
  /** Give the last one as `after` to go on from there. */
  readonly position: number;
  /** Chunks of the AI SDK's UI message stream v1. */
  readonly chunks: readonly Json[];
}

const watched = z.object({
  position: z.int().describe("Give the last one as `after` to go on from there"),
  chunks: z.array(anyJson("Of the AI SDK's UI message stream v1")),
});

export const watchTurn = defineOperation({
  name: "turns.watch",
  at: "GET /turns/{id}/parts",
  follows: "position",
  title: "Watch a turn",
  description: `Gives what people see of a turn, as a stream until the turn ends: text as it comes, calls, and what they wait for. ${own}`,
  effect: "read",
  needs: [turnsPort, turnStreamPort],
  input: z.object({ id, after: z.int().min(0).optional().describe("Position after which to begin; default 0") }),
  output: listOf(watched),
  async run({ id: wanted, after = 0 }, context) {
    const found = await requireTurn(wanted, context);
    const parts = await context.ports.turnStream.read(found, after);
    return { items: [...toWatched(parts, after)] };
  },
  allow: ({ id: wanted }, context) => requireTurn(wanted, context),
  async follow({ id: wanted, after = 0 }, context) {
    const found = await requireTurn(wanted, context);
    return followTurn(found, after, context);
  },
});

function* toWatched(parts: readonly TurnPart[], after: number): Generator<WatchedPart> {
  let seen = after;
  for (const part of parts) {
    yield { position: part.position, chunks: chunksFor(part, seen) };
    seen = part.position;
  }
}

type Following = Pick<OperationContext<typeof turnsPort | typeof turnStreamPort>, "ports"> & { readonly signal: AbortSignal };

async function* followTurn(ref: TurnRecord, after: number, { ports, signal }: Following): AsyncGenerator<WatchedPart> {
  let seen = after;
  let wake = () => {};
  const stops = [ports.turnStream.follow(ref, () => wake()), ports.turns.follow(ref.tenant, () => wake())];
  signal.addEventListener("abort", () => wake(), { once: true });
  try {
    while (!signal.aborted) {
      const heard = new Promise<void>((resolve) => {
        wake = resolve;
      });
      // Before its parts are read: none comes after its end.
      const turn = await ports.turns.get(ref);
      for (const part of toWatched(await ports.turnStream.read(ref, seen), seen)) {
        seen = part.position;
        yield part;
      }
      if (!turn || !isOpenTurn(turn)) return;
      if (!signal.aborted) await heard;
    }
  } finally {
    for (const stop of stops) stop();
  }
}

const listMessages = defineOperation({
  name: "messages.list",
  at: "GET /sessions/{conversation}/messages",
  title: "List messages",
  description: "Lists the messages of a conversation that the principal may use, in order, and those that wait for the next step.",
  effect: "read",
  needs: [turnsPort],
  input: z.object({
    conversation: z.string().min(1),
    after: z.int().min(0).optional().describe("Only messages after this sequence"),
    limit: limitUpTo(500, 500),
  }),
  output: z.object({ items: z.array(message), queued }),
  async run({ conversation: wanted, ...rest }, { principal, parts, ports }) {
    const { tenant, id: conversation } = await requireSession(principal, wanted, { parts });
    // First: what is taken up meanwhile is shown twice, and not left out.
    const waiting = await ports.turns.queued({ tenant, conversation });
    const items = await ports.turns.messages({ tenant, conversation, ...rest });
    return { items: items.map(toShown), queued: waiting };
  },
});

/** The messages of a turn, however long its conversation is. */
async function readSaid({ tenant, id: turnId, conversation }: TurnRecord, { turns }: Pick<TurnPorts, "turns">) {
  // First: what is taken up meanwhile is shown twice, and not left out.
  const waiting = await turns.queued({ tenant, conversation });
  const said: ConversationMessage[] = [];
  for (let read: number | undefined = 0; read !== undefined; ) {
    const page: readonly ConversationMessage[] = await turns.messages({ tenant, conversation, after: read });
    said.push(...page.filter((each) => each.turn === turnId));
    read = page.at(-1)?.sequence;
  }
  return { messages: said.map(toShown), queued: waiting.filter((each) => each.turn === turnId) };
}

const toShown = (each: ConversationMessage) => ({ ...each, message: withoutSealed(each.message) });

/** What is sealed in a message is for requests to a model. */
function withoutSealed(message: Json): Json {
  if (!isPlainObject(message) || !("sealed" in message)) return message;
  const { sealed: _, ...shown } = message;
  return shown;
}

/** Rejects with `turn_not_found` for one that there is not, and for somebody else's. */
async function requireTurn(
  wanted: string,
  { principal, parts, ports }: Pick<OperationContext<typeof turnsPort>, "parts" | "ports" | "principal">,
): Promise<TurnRecord> {
  const { tenant } = principal;
  const found = await ports.turns.get({ tenant, id: wanted });
  const session = found && (await parts.sessions.find({ tenant, id: found.conversation }));
  if (found && session && maySeeSession(principal, session)) return found;
  throw turnNotFound(wanted);
}

const mostChildren = 500;

async function withChildren(found: readonly TurnRecord[], { turns }: Pick<TurnPorts, "turns">): Promise<readonly ListedTurn[]> {
  const [first] = found;
  if (!first) return [];
  const began = await turns.list(first.tenant, { parents: found.map(({ id: each }) => each), limit: mostChildren });
  const children = Map.groupBy(began.toReversed(), ({ parent }) => parent);
  return found.map(({ principal: _, ...rest }) => ({ ...rest, children: (children.get(rest.id) ?? []).map(({ id: child }) => child) }));
}

async function toListed(turn: TurnRecord, ports: Pick<TurnPorts, "turns">): Promise<ListedTurn> {
  const [listed] = await withChildren([turn], ports);
  return listed as ListedTurn;
}

export const turnsSubject = defineSubject({
  name: "turns",
  permissions: [{ name: RUN_AGENTS, about: "have an agent answer a message, make rooms and post to them" }],
  errors: {
    turn_not_found: { kind: "missing", means: "There is no such turn for this principal." },
  },
  store: [turnsPort, turnStreamPort],
  tools: "agents",
  loops: [{ name: "turns", about: "goes on with turns of agents whose process ended" }],
  shell: { turns: { about: "See and stop what agents do about messages" } },
  operations: [listTurns, getTurn, watchTurn, cancelTurn, listMessages],
});
