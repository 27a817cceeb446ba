import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, beginAnswer, call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const turnOf = async () => (await world.turns.list("acme", {})).at(0);

/** What the conversation came to, each message by its role and parts. */
async function shapes(): Promise<string[]> {
  const turn = await turnOf();
  const messages = await world.turns.messages({ tenant: "acme", conversation: turn?.conversation ?? "" });
  return messages.map(({ message }) => {
    const { role, content } = message as { role: string; content: string | { type: string }[] };
    return `${role}: ${typeof content === "string" ? content : content.map(({ type }) => type).join(", ")}`;
  });
}

describe("a turn that a person stops", () => {
  it("in the middle of a tool: the tool ends, each call has a result, and the next message works", async () => {
    await open([call("note", "a", "one"), call("slow", "b", "two")], "Next.");
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    const turn = await turnOf();
    await engine.operate(ann, "turns.cancel", { id: turn?.id ?? "", reason: "Enough." });
    expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
    expect(await shapes()).toEqual(["user: Go.", "assistant: tool-call, tool-call", "tool: tool-result, tool-result"]);
    const conversation = turn?.conversation ?? "";
    expect(outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation })).text).toBe("Next.");
    expect(world.toolMessages()).toEqual([expect.stringContaining("note did a"), expect.stringMatching(/^Cancelled/)]);
  });

  it("in the middle of its answer: what was said stays", async () => {
    let begun = () => {};
    const said = new Promise<void>((resolve) => {
      begun = resolve;
    });
    await open((outgoing) => beginAnswer(outgoing, "So far", () => begun()), "Next.");
    const engine = world.start();
    const running = personAt(engine).invokeNamed("agent_run", run);
    await said;
    await engine.operate(ann, "turns.cancel", { id: (await turnOf())?.id ?? "" });
    expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
    const [asked, ...answer] = await shapes();
    expect(asked).toBe("user: Go.");
    expect(answer.every((shape) => shape === "assistant: text")).toBe(true);
    const { conversation } = (await turnOf()) ?? { conversation: "" };
    expect(outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation })).text).toBe("Next.");
  });

  it("while it waits for a person: the approval is denied, in the log too, and nothing runs", async () => {
    await open([call("pay", "a"), call("note", "b")], "Next.");
    const engine = world.start();
    expect((await personAt(engine).invokeNamed("agent_run", run)).status).toBe("pending");
    const turn = await turnOf();
    await engine.operate(ann, "turns.cancel", { id: turn?.id ?? "", reason: "Not today." });
    expect(await personAt(engine).approvals()).toEqual([]);
    expect(await engine.resumeDue()).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "cancelled", cancelReason: "Not today." });
    expect(world.did).toEqual(["note b"]);
    const events = await world.events.read({ tenant: "acme", session: turn?.conversation ?? "" });
    expect(events.filter(({ event }) => event.tool === "pay").map(({ event }) => event.type)).toEqual([
      "tool.needs_approval",
      "tool.denied",
    ]);
    expect(await shapes()).toEqual(["user: Go.", "assistant: tool-call, tool-call", "tool: tool-result, tool-result"]);
    const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation });
    expect(outputOf(next).text).toBe("Next.");
    expect(world.model.requests).toHaveLength(2);
  });

  it("by removing its agent: what waits ends without a request to the model, and what runs ends, too", async () => {
    await open([call("pay", "a")], [call("slow", "b")]);
    const { agents } = world.catalogue;
    for (const agent of ["clerk", "other"])
      await agents.create("acme", { agent, name: agent, features: {}, restricted: false, acceptsAgents: false });
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    await personAt(engine).invokeNamed("agent_run", { ...run, agent: "clerk" });
    const running = personAt(engine).invokeNamed("agent_run", { ...run, agent: "clerk" });
    await slow;
    await agents.remove("acme", "clerk", { by: ann.actor, at: world.clock.now() });
    expect(await engine.resumeDue()).toBe(1);
    expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
    const turns = await world.turns.list("acme", {});
    expect(turns.map(({ state, cancelReason }) => [state, cancelReason])).toEqual([
      ["cancelled", "The agent clerk was deleted."],
      ["cancelled", "The agent clerk was deleted."],
    ]);
    expect(world.did).toEqual([]);
    expect(world.model.requests).toHaveLength(2);
  });

  it("is stopped only by its person: another one learns nothing of it", async () => {
    await open([call("pay", "a")]);
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    const { id = "", conversation = "" } = (await turnOf()) ?? {};
    const bob = { ...ann, actor: { kind: "user", id: "bob" } } as const;
    for (const [name, input] of [
      ["turns.cancel", { id }],
      ["turns.get", { id }],
      ["messages.list", { conversation }],
    ] as const)
      await expect(engine.operateNamed(bob, name, input)).rejects.toMatchObject({
        code: expect.stringMatching(/^(turn|session)_not_found$/),
      });
    expect(await engine.operate(bob, "turns.list", {})).toEqual({ items: [] });
    expect(await turnOf()).toMatchObject({ state: "waiting" });
  });
});

describe("a message that comes while a turn runs", () => {
  it("is queued, and is in the next request after the results", async () => {
    await open([call("slow", "a")], "Both.");
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    const { conversation = "" } = (await turnOf()) ?? {};
    const queued = await personAt(engine).invokeNamed("agent_run", { ...run, message: "And this.", conversation });
    const turn = (await turnOf())?.id;
    expect(outputOf(queued)).toMatchObject({ state: "queued", turn, text: "" });
    const listed = () => engine.operate(ann, "messages.list", { conversation });
    const message = { role: "user", content: "And this." };
    expect(await listed()).toMatchObject({ items: [{ sequence: 1 }], queued: [{ turn, message }] });
    world.endSlow();
    expect(outputOf(await running).text).toBe("Both.");
    expect(await listed()).toMatchObject({ items: { 3: { sequence: 4, turn, message } }, queued: [] });
    expect(await shapes()).toEqual(["user: Go.", "assistant: tool-call", "tool: tool-result", "user: And this.", "assistant: text"]);
    expect(world.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  it("is answered by the same turn where it comes during the last answer", async () => {
    let conversation = "";
    let engine: ReturnType<World["start"]>;
    const late = async (outgoing: ServerResponse) => {
      conversation = (await turnOf())?.conversation ?? "";
      await personAt(engine).invokeNamed("agent_run", { ...run, message: "Late.", conversation });
      const chunk = (choice: object) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      outgoing.end(
        `${chunk({ delta: { role: "assistant", content: "First." } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`,
      );
    };
    await open(late, "Second.");
    engine = world.start();
    expect(outputOf(await personAt(engine).invokeNamed("agent_run", run)).text).toBe("Second.");
    expect(await shapes()).toEqual(["user: Go.", "assistant: text", "user: Late.", "assistant: text"]);
  });

  it("and interrupts is the first of the next turn: what runs ends, and what waits ends without its process", async () => {
    await open([call("slow", "a")], [call("pay", "b")], "Third.");
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    const { conversation = "" } = (await turnOf()) ?? {};
    const say = (message: string) =>
      personAt(engine).invokeNamed("agent_run", { agent: "assistant", message, conversation, interrupt: true });
    expect((await say("Second.")).status).toBe("pending");
    expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
    expect(outputOf(await say("Third."))).toMatchObject({ state: "done", text: "Third." });
    const turns = await world.turns.list("acme", { conversation });
    expect(turns.map(({ state, cancelReason }) => [state, cancelReason])).toEqual([
      ["done", undefined],
      ["cancelled", "Another message took its place."],
      ["cancelled", "Another message took its place."],
    ]);
    expect(await personAt(engine).approvals()).toEqual([]);
    expect(world.did).toEqual([]);
    // The calls that waited for those turns end, too, and do nothing more.
    await engine.resumeDue();
    expect(world.model.requests).toHaveLength(3);
    const told = world.model.requests.at(-1)?.messages.filter(({ role }) => role === "tool");
    expect(told?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^Cancelled: /),
      expect.stringMatching(/^(Cancelled|Denied): /),
    ]);
  });
});
