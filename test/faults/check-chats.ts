import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { silentLogger } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { answerChats, chatter, openChatEngine, workOnChats } from "./chat-engine.ts";
import type { ChatModel } from "./chat-model.ts";
import { breaksOfLog, doneTwice, findStuck, type History, settleMs, type Verdict } from "./check-history.ts";

interface ChatHistory extends History {
  readonly model: ChatModel;
}

/** Opens the store once more, lets every turn end, and compares what is there with what was confirmed and with what the model was asked. */
export async function checkChats({ url, folder, cache, effects, facts, model }: ChatHistory): Promise<Verdict> {
  const store = await openStore({ ...(url && { url }), folder, cache, process: "prc_checker", holder: "checker" });
  try {
    const parts = { store, effects, model: model.url, logger: silentLogger };
    const engine = openChatEngine(parts);
    const stopWork = await workOnChats(engine, parts);
    const startedAt = Date.now();
    let stuck = await findStuck(store);
    while (stuck.length > 0 && Date.now() - startedAt < settleMs) {
      await answerChats(engine);
      await sleep(250);
      stuck = await findStuck(store);
    }
    const settledInMs = Date.now() - startedAt;
    await stopWork();
    await engine.close();
    const chats = await readChats(store);
    const lines = readFileSync(effects, "utf8").split("\n").filter(Boolean);
    const lost = [...findLost(chats, new Set(lines)), ...facts.flatMap(({ key }) => (chats.has(key) ? [] : [`${key} is gone`]))];
    const twice = [...(await doneTwice(store, lines)), ...findAskedAgain(chats, model)];
    const broken = [...(await breaksOfLog(store)), ...[...chats].flatMap(([key, chat]) => breaksOf(chat).map((what) => `${key} ${what}`))];
    const ok = [lost, twice, broken, stuck].every((some) => some.length === 0);
    const confirmed = { chat: facts.length, ended: chats.size };
    return { ok, confirmed, effects: new Set(lines).size, lost, twice, broken, stuck, settledInMs };
  } finally {
    await store.close();
  }
}

interface Said {
  readonly role: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly text?: string; readonly toolCallId?: string; readonly output?: unknown }[];
}

interface Chat {
  readonly state: string;
  readonly sequences: readonly number[];
  readonly messages: readonly Said[];
}

/** By what was asked. */
async function readChats(store: Store): Promise<ReadonlyMap<string, Chat>> {
  const { tenant } = chatter;
  const chats = new Map<string, Chat>();
  const found = await store.database.asTenant(tenant, (query) =>
    query.selectFrom("toolwright.turns").select(["conversation", "state"]).execute(),
  );
  for (const { conversation, state } of found) {
    const stored = await store.turns.messages({ tenant, conversation });
    const messages = stored.map(({ message }) => message as unknown as Said);
    chats.set(String(messages[0]?.content), { state, messages, sequences: stored.map(({ sequence }) => sequence) });
  }
  return chats;
}

const partsOf = ({ content }: Said) => (typeof content === "string" ? [] : content);

/** What a chat was told that a tool did, and what is not there. */
function findLost(chats: ReadonlyMap<string, Chat>, lines: ReadonlySet<string>): readonly string[] {
  const told = [...chats.values()].flatMap(({ messages }) =>
    messages.filter(({ role }) => role === "tool").flatMap((message) => [...JSON.stringify(message).matchAll(/written\W+(chat_\w+\/\d)/g)]),
  );
  return told.flatMap(([, line = ""]) => (lines.has(line) ? [] : [`${line} was told as done and had no effect`]));
}

/** A stored answer is the last that was begun: whoever has it asks no more. */
function findAskedAgain(chats: ReadonlyMap<string, Chat>, { asked }: ChatModel): readonly string[] {
  return [...chats].flatMap(([key, { messages }]) =>
    messages
      .filter(({ role }) => role === "assistant")
      .flatMap((message, step) => {
        const stored = /^n\d+/.exec(partsOf(message).find(({ type }) => type === "text")?.text ?? "")?.[0];
        const last = asked.get(`${key} ${step}`)?.at(-1);
        return stored === last ? [] : [`answer ${step + 1} of ${key} was stored as ${stored}, and ${last} was asked for afterwards`];
      }),
  );
}

/** Of a conversation: its turn has ended, its messages have no gap, and every call has one result. */
function breaksOf({ state, sequences, messages }: Chat): readonly string[] {
  const ids = (type: string) => messages.flatMap(partsOf).flatMap((part) => (part.type === type ? [part.toolCallId] : []));
  return [
    ...(state === "done" ? [] : [`is ${state}`]),
    ...(sequences.every((sequence, index) => sequence === index + 1) ? [] : ["has a gap"]),
    ...(JSON.stringify(ids("tool-call")) === JSON.stringify(ids("tool-result")) ? [] : ["has calls without one result each"]),
  ];
}
