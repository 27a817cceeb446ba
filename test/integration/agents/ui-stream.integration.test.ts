import { createRestDoor, openAccess, type RestDoor } from "@toolwright/doors/rest";
import type { Principal } from "@toolwright/engine";
import { turnCalls } from "@toolwright/server/http";
import { AbstractChat, type ChatState, DefaultChatTransport, type UIMessage } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, personAt, World } from "./agents-world.ts";
import { messageOf, partsOf } from "./ui-messages.ts";

const origin = "http://localhost:7777";
const turns = "/api/agents/assistant/turns";
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(...script: ScriptedAnswer[]) {
  const world = await World.open(script);
  const engine = world.start();
  const doorFor = (principal: Principal) => {
    const door = createRestDoor({ engine, authentication: openAccess(principal), turns: turnCalls(world) });
    closing.push(() => door.close());
    return door;
  };
  const door = doorFor({ ...ann, door: "rest" });
  closing.push(() => world.close());
  return { world, engine, door, doorFor };
}

function ask(door: RestDoor, path: string, { headers, ...init }: RequestInit = {}): Promise<Response> {
  const all = new Headers(headers);
  all.set("host", "localhost:7777");
  if (init.body !== undefined) all.set("content-type", "application/json");
  return door.fetch(new Request(`${origin}${path}`, { ...init, headers: all }));
}

const send = (door: RestDoor, body: object, headers: Record<string, string> = {}) =>
  ask(door, turns, { method: "POST", body: JSON.stringify(body), headers });

type Fetch = NonNullable<NonNullable<ConstructorParameters<typeof DefaultChatTransport>[0]>["fetch"]>;

const textOf = (message: UIMessage | undefined) => message?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
const conversationOf = (messages: readonly UIMessage[]) =>
  (messages.findLast(({ role }) => role === "assistant")?.metadata as { readonly conversation?: string } | undefined)?.conversation;

// #region transport
const makeTransport = (fetch: Fetch) =>
  new DefaultChatTransport({
    api: "/api/agents/assistant/turns",
    prepareSendMessagesRequest: ({ messages }) => ({
      body: { message: textOf(messages.at(-1)), conversation: conversationOf(messages) },
    }),
    // Of a chat whose `id` is that of the turn to take up.
    prepareReconnectToStreamRequest: ({ id }) => ({ api: `/api/turns/${id}/stream` }),
    fetch,
  });
// #endregion

// #region answer
/** For the buttons of a part in the state `approval-requested`: `id` is that of its `approval`. */
const answer = async ({ id, approved }: { readonly id: string; readonly approved: boolean }, { chat, fetch }: Page) => {
  const outcome = approved ? { kind: "approve" } : { kind: "deny" };
  const sent = await fetch(`/api/approvals/${id}/answer`, { method: "POST", body: JSON.stringify({ outcome }), headers: json });
  // Shows the answer at once; the server has it already, and the open stream brings what comes of it.
  if (sent.ok) await chat.addToolApprovalResponse({ id, approved });
};
const stop = (turn: string, { fetch }: Page) => fetch(`/api/turns/${turn}/cancel`, { method: "POST", body: "{}", headers: json });
// #endregion

const json = { "content-type": "application/json" };

interface Page {
  /** Of `useChat`. */
  readonly chat: AbstractChat<UIMessage>;
  readonly fetch: Fetch;
}

/** `useChat` without React. */
class Chat extends AbstractChat<UIMessage> {
  constructor(door: RestDoor, id?: string) {
    const state: ChatState<UIMessage> = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => void state.messages.splice(index, 1, message),
      snapshot: (value) => structuredClone(value),
    };
    super({ transport: transportTo(door), state, ...(id !== undefined && { id }) });
  }

  /** Of the parts of the last message, one of this state. */
  approval(): string | undefined {
    const parts = this.lastMessage?.parts ?? [];
    return parts
      .flatMap((part) => ("approval" in part && part.state === "approval-requested" && part.approval ? [part.approval.id] : []))
      .at(0);
  }
}

const transportTo = (door: RestDoor) => makeTransport((path, init) => ask(door, String(path), init));

const sending = (text: string) => ({
  ...({ trigger: "submit-message", chatId: "chat", messageId: undefined, abortSignal: undefined } as const),
  messages: [{ id: "1", role: "user", parts: [{ type: "text", text }] }] satisfies UIMessage[],
});

const whole = ["step-start", "tool-note output-available", "step-start", "text Noted."];

describe("a turn as a UI message stream", () => {
  it("is what useChat makes a message of, which names its turn and its conversation", async () => {
    const { world, door } = await open([call("note", "a")], "Noted.");
    const message = await messageOf(await transportTo(door).sendMessages(sending("Go.")));
    expect(partsOf(message)).toEqual(whole);
    const [turn] = await world.turns.list("acme", {});
    expect(message).toMatchObject({ id: turn?.id, metadata: { conversation: turn?.conversation, agent: "assistant" } });
    expect(world.did).toEqual(["note a"]);
  });

  it("has positions to go on from, and an end", async () => {
    const { world, door } = await open([call("note", "a")], "Noted.");
    const response = await send(door, { message: "Go." });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBe("v1");
    const all = await response.text();
    expect(all).toMatch(/id: 1\ndata: {"type":"start"/);
    expect(all.trimEnd()).toMatch(/data: \[DONE\]$/);
    const id = (await world.turns.list("acme", {})).at(0)?.id;
    for (const rest of [
      await ask(door, `/api/turns/${id}/stream?after=1`),
      await ask(door, `/api/turns/${id}/stream`, { headers: { "last-event-id": "1" } }),
    ]) {
      const text = await rest.text();
      expect(text).not.toContain("id: 1\n");
      expect(text).toContain("Noted.");
    }
  });

  it("goes on without its client, and is whole for one that comes back", async () => {
    const { world, door } = await open([call("slow", "x")], "Ended.");
    const began = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const transport = transportTo(door);
    await (await transport.sendMessages(sending("Go."))).cancel();
    await began;
    const chatId = (await world.turns.list("acme", {})).at(0)?.id ?? "";
    const again = await transport.reconnectToStream({ chatId });
    world.endSlow();
    expect(partsOf(await messageOf(again!))).toEqual(["step-start", "tool-slow output-available", "step-start", "text Ended."]);
  });

  it("waits for the answer of a person", async () => {
    const { world, engine, door } = await open([call("pay", "b")], "Paid.");
    const asked = await send(door, { message: "Go." }, { prefer: "respond-async", "idempotency-key": "k1" });
    expect(asked.status).toBe(202);
    const turn = (await asked.json()) as { readonly id: string };
    expect(asked.headers.get("location")).toBe(`/api/turns/${turn.id}/stream`);
    const message = messageOf((await transportTo(door).reconnectToStream({ chatId: turn.id }))!);
    const person = personAt(engine);
    await expect.poll(async () => (await person.approvals()).length).toBe(1);
    const [approval] = await person.approvals();
    await person.answer(approval?.record.id ?? "", { kind: "approve" });
    await engine.resumeDue();
    expect(partsOf(await message)).toEqual(["step-start", "tool-pay output-available", "step-start", "text Paid."]);
    expect(world.did).toEqual(["pay b"]);
  });

  it("is answered, taken up and stopped by a page with useChat", async () => {
    const { world, door, engine } = await open([call("pay", "a")], [call("pay", "b")], "Never said.");
    const chat = new Chat(door);
    const page = { chat, fetch: (path: string | URL | Request, init?: RequestInit) => ask(door, String(path), init) };
    const sent = chat.sendMessage({ text: "Go." });
    await expect.poll(() => chat.approval()).toBeDefined();
    const first = chat.approval() ?? "";
    await answer({ id: first, approved: true }, page);
    await engine.resumeDue();
    await expect.poll(() => chat.approval()).not.toBe(first);
    await expect.poll(() => chat.approval()).toBeDefined();
    expect(world.did).toEqual(["pay a"]);
    const turn = chat.lastMessage?.id ?? "";
    const other = new Chat(door, turn);
    const resumed = other.resumeStream();
    await expect.poll(() => other.approval()).toBe(chat.approval());
    await stop(turn, page);
    await engine.resumeDue();
    await Promise.all([sent, resumed]);
    for (const { status, lastMessage } of [chat, other]) {
      expect(status).toBe("ready");
      expect(partsOf(lastMessage!).slice(0, 3)).toEqual(["step-start", "tool-pay output-available", "step-start"]);
    }
    expect(world.did).toEqual(["pay a"]);
  });

  it("takes up a message that is sent while it runs", async () => {
    const { world, door } = await open([call("slow", "x")], "Both.");
    const began = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const first = (await (await send(door, { message: "One." }, { prefer: "respond-async" })).json()) as {
      id: string;
      conversation: string;
    };
    await began;
    const { conversation } = first;
    const second = await send(door, { message: "Two.", conversation }, { prefer: "respond-async" });
    expect(await second.json()).toMatchObject({ id: first.id, state: "running" });
    world.endSlow();
    expect(partsOf(await messageOf((await transportTo(door).reconnectToStream({ chatId: first.id }))!))).toContain("text Both.");
    expect(world.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user", content: "Two." });
  });

  it("takes files beside its message, as parts of a form", async () => {
    const { world, door } = await open("Read.");
    const body = new FormData();
    body.set("input", JSON.stringify({ message: "Read this." }));
    body.append("file", new File(["Zoë."], "notes.txt", { type: "text/plain" }));
    const response = await door.fetch(new Request(`${origin}${turns}`, { method: "POST", body, headers: { host: "localhost:7777" } }));
    expect(await response.text()).toContain("[DONE]");
    expect(JSON.stringify(world.model.requests.at(-1)?.messages.at(-1))).toMatch(/Read this\..*\[Attachment notes\.txt: .*Zoë\./);
  });

  it.each([
    { name: "an agent that there is not", path: "/api/agents/nobody/turns", body: { message: "Go." }, code: "catalogue_not_found" },
    { name: "a conversation that there is not", body: { message: "Go.", conversation: "ses_x" }, code: "session_not_found" },
    {
      name: "a conversation without a name, which would be everybody's",
      body: { message: "Go.", conversation: "" },
      code: "invalid_input",
    },
    { name: "a body without a message", body: {}, code: "invalid_input" },
    { name: "a message without a word", body: { message: " \n" }, code: "invalid_input" },
    { name: "a body that is no object", body: [], code: "request_malformed" },
  ])("is refused for $name", async ({ path = turns, body, code }) => {
    const { world, door } = await open();
    const response = await ask(door, path, { method: "POST", body: JSON.stringify(body) });
    expect(await response.json()).toMatchObject({ code, status: response.status });
    expect(await world.turns.list("acme", {})).toEqual([]);
  });

  it.each([
    ["is refused by now", undefined],
    ["may do something else by now", { ...ann, permissions: [], door: "rest" }],
  ] as const)("ends without an end for a caller who %s", async (_, later) => {
    const { world, engine } = await open([call("pay", "b")], "Paid.");
    let caller: Principal | undefined = { ...ann, door: "rest" };
    const authentication = { open: false, authenticate: () => caller };
    const door = createRestDoor({ engine, authentication, turns: turnCalls(world), clock: world.clock });
    closing.push(() => door.close());
    const streamed = (await send(door, { message: "Go." })).text();
    await expect.poll(async () => (await personAt(engine).approvals()).length).toBe(1);
    await world.clock.advance(20_000);
    caller = later;
    await world.clock.advance(20_000);
    expect(await streamed).toMatch(/tool-approval-request(?!.*\[DONE\])/s);
    expect((await world.turns.list("acme", {})).at(0)?.state).toBe("waiting");
  });

  it("ends with a sentence, and as a stream of parts with a code, for whom the share of its conversation is taken back", async () => {
    const { world, engine, door } = await open([call("pay", "b")], "Paid.");
    const begun = await send(door, { message: "Go." }, { prefer: "respond-async" });
    const { id, conversation } = (await begun.json()) as { readonly id: string; readonly conversation: string };
    await engine.operate(ann, "sessions.share", { id: conversation, with: "bob" });
    const authentication = openAccess({ ...ann, actor: { kind: "user", id: "bob" }, permissions: [], door: "rest" });
    const bob = createRestDoor({ engine, authentication, turns: turnCalls(world), clock: world.clock });
    closing.push(() => bob.close());
    const watched = await ask(bob, `/api/turns/${id}/stream`);
    const parts = await ask(bob, `/api/turns/${id}/parts`, { headers: { accept: "text/event-stream" } });
    expect([watched.status, parts.status]).toEqual([200, 200]);
    await engine.operate(ann, "sessions.unshare", { id: conversation, with: "bob" });
    await world.clock.advance(15_000);
    const message = `There is no turn "${id}". List the turns of the conversation to see what there is.`;
    expect(await watched.text()).toContain(`data: ${JSON.stringify({ type: "error", errorText: message })}\n\ndata: [DONE]`);
    expect(await parts.text()).toContain(`event: error\ndata: ${JSON.stringify({ code: "turn_not_found", message })}\n\n`);
  });

  it("is its person's alone, and in the document of those who may begin one", async () => {
    const { world, door, doorFor } = await open("Hello.");
    await (await send(door, { message: "Go." })).text();
    const id = (await world.turns.list("acme", {})).at(0)?.id;
    const bob = doorFor({ ...ann, actor: { kind: "user", id: "bob" }, permissions: [], door: "rest" });
    const response = await ask(bob, `/api/turns/${id}/stream`);
    expect(response.status).toBe(404);
    expect(response.headers.get("x-vercel-ai-ui-message-stream")).toBeNull();
    const pathsFor = async (other: RestDoor) => {
      const { paths } = (await (await ask(other, "/api/openapi.json")).json()) as { readonly paths: object };
      return Object.keys(paths).filter((path) => /turns$|stream$/.test(path));
    };
    expect(await pathsFor(door)).toEqual(["/turns", "/agents/{agent}/turns", "/turns/{id}/stream"]);
    expect(await pathsFor(bob)).toEqual(["/turns"]);
  });
});
