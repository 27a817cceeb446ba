import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { sendJson } from "../../../examples/scripted-server.ts";
import { call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };

/** An answer of these pieces, each a choice, or as it is where it is a text. */
const stream =
  (...pieces: readonly (object | string)[]): ScriptedAnswer =>
  (outgoing: ServerResponse) => {
    outgoing.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = { id: "c", object: "chat.completion.chunk", created: 0, model: "m" };
    for (const piece of pieces) {
      const data = typeof piece === "string" ? piece : JSON.stringify({ ...chunk, choices: [{ index: 0, ...piece }] });
      outgoing.write(`data: ${data}\n\n`);
    }
    outgoing.end();
  };
const stop = { delta: {}, finish_reason: "stop" };
const said = (content: string) => ({ delta: { role: "assistant", content } });
const calls = (...made: readonly object[]) => ({
  delta: { role: "assistant", tool_calls: made.map((each, index) => ({ index, type: "function", ...each })) },
});
const called = { delta: {}, finish_reason: "tool_calls" };
const noteOf = (text: string) => ({ function: { name: "note", arguments: JSON.stringify({ text }) } });

interface Came {
  readonly text?: string;
  /** What the next request holds of the odd answer, by roles. */
  readonly kept?: string;
}
const fine = { text: "Well again.", kept: "assistant" };
/** The model reads what was wrong, and answers. */
const corrected = { text: "Well again.", kept: "assistant,tool,assistant" };

describe("an answer of a model", () => {
  it.each<[string, ScriptedAnswer, Came | RegExp]>([
    ["that ends before it says anything is asked for again", stream("[DONE]"), fine],
    ["of no bytes is asked for again", stream(), fine],
    ["without a choice is asked for again", stream('{"id":"c","choices":[]}', "[DONE]"), fine],
    ["without content", stream(said(""), stop, "[DONE]"), /gave an answer without a word/],
    ["of blanks", stream(said(" \n "), stop, "[DONE]"), /gave an answer without a word/],
    ["cut off before its first word", stream({ delta: {}, finish_reason: "length" }, "[DONE]"), /gave an answer without a word/],
    ["that the provider filters out", stream({ delta: {}, finish_reason: "content_filter" }, "[DONE]"), /gave an answer without a word/],
    [
      "with a call of no tool",
      stream(calls({ id: "1", function: { name: "", arguments: "{}" } }), called),
      /gave an answer without a word/,
    ],
    ["with a piece that is no JSON", stream('{"choices":', "[DONE]"), /speaks the protocol/],
    ["with a piece of another shape", stream('{"choices":"x"}', "[DONE]"), /speaks the protocol/],
    ["with a call of an unknown tool", stream(calls({ id: "1", function: { name: "nowhere", arguments: "{}" } }), called), corrected],
    ["with a call of broken JSON", stream(calls({ id: "1", function: { name: "note", arguments: '{"text":' } }), called), corrected],
    ["with a call of null", stream(calls({ id: "1", function: { name: "note", arguments: "null" } }), called), corrected],
    ["with a call without input", stream(calls({ id: "1", function: { name: "note", arguments: "" } }), called), corrected],
    ["with a call that says it has stopped", stream(calls({ id: "1", ...noteOf("a") }), stop), corrected],
    ["with blanks before its call", stream(said("\n\n"), calls({ id: "1", ...noteOf("a") }), called), corrected],
    ["that says it calls and does not", stream(said("So."), called, "[DONE]"), { text: "So.", kept: "assistant" }],
    ["without its count of tokens", stream(said("So."), stop, '{"id":"c","choices":[],"usage":null}'), { text: "So.", kept: "assistant" }],
  ])("%s", async (_, answer, came) => {
    world = await World.open([answer, ...Array(2).fill("Well again.")]);
    const engine = world.start();
    const result = await world.patiently(personAt(engine).invokeNamed("agent_run", run));
    const [turn] = await world.turns.list("acme", {});
    if (came instanceof RegExp)
      expect(result).toMatchObject({ status: "failed", error: { toolCode: "model_unavailable", message: expect.stringMatching(came) } });
    else expect(outputOf(result).text).toBe(came.text);
    const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation });
    expect(outputOf(next).text).toBe("Well again.");
    const sent = world.model.requests.at(-1)?.messages.slice(2, -1) ?? [];
    expect(sent.map(({ role }) => role).join()).toBe(came instanceof RegExp ? "" : came.kept);
    for (const { role, content } of sent) if (role === "assistant" && typeof content === "string") expect(content.trim()).not.toBe("");
  });

  it.each<[string, readonly object[]]>([
    ["without ids", [noteOf("a"), noteOf("b")]],
    [
      "with empty ids",
      [
        { id: "", ...noteOf("a") },
        { id: "", ...noteOf("b") },
      ],
    ],
    [
      "with the same id",
      [
        { id: "1", ...noteOf("a") },
        { id: "1", ...noteOf("b") },
      ],
    ],
  ])("with calls %s makes each of them once", async (_, made) => {
    world = await World.open([stream(calls(...made), called), "Noted."], { usage: null });
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output.text).toBe("Noted.");
    expect(world.did).toEqual(["note a", "note b"]);
    expect(world.toolMessages()).toEqual([expect.stringContaining("did a"), expect.stringContaining("did b")]);
    expect((await world.turns.list("acme", {})).at(0)?.usage).toMatchObject({ estimated: true });
  });

  it("without a word after its last call is the end of the work, and at a limit a sentence stands in its place", async () => {
    const silent = stream(said(""), stop, "[DONE]");
    world = await World.open([[call("note", "a")], silent, [call("note", "b")], silent]);
    await world.catalogue.agents.create("acme", {
      ...{ agent: "short", name: "Short", features: {}, restricted: false, acceptsAgents: false, limits: { steps: 2 } },
    });
    await world.catalogue.agents.create("acme", { agent: "other", name: "Other", features: {}, restricted: false, acceptsAgents: false });
    const ask = async (agent: string) => outputOf(await personAt(world.start()).invokeNamed("agent_run", { ...run, agent }));
    expect(await ask("other")).toMatchObject({ state: "done", text: "" });
    expect(await ask("short")).toMatchObject({
      state: "done",
      text: expect.stringContaining("the limit of steps is reached"),
      limit: "steps",
    });
  });
});

describe("a model", () => {
  it.each([
    "registry.ollama.ai/library/x does not support tools",
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "No endpoints found that support tool use.",
  ])("that calls no tools says so: %s", async (message) => {
    world = await World.open([(outgoing) => sendJson(outgoing, { status: 400, body: { error: { message } } })]);
    const result = await personAt(world.start()).invokeNamed("agent_run", run);
    expect(result).toMatchObject({
      error: { toolCode: "model_unavailable", message: expect.stringContaining("calls no tools (HTTP 400)") },
    });
  });

  it.each([3_600_000, -3_600_000])("is given up after ten minutes, also where the clock of the machine jumps by %i ms", async (jumpMs) => {
    const refuse = (outgoing: ServerResponse) => sendJson(outgoing, { status: 500, body: {} });
    world = await World.open(Array(60).fill(refuse));
    const now = () => world.clock.now() + (world.model.requests.length > 2 ? jumpMs : 0);
    await world.patiently(personAt(world.start({ clock: { ...world.clock, now } })).invokeNamed("agent_run", run));
    expect((await world.turns.list("acme", {})).at(0)).toMatchObject({ state: "failed" });
    expect(world.model.requests.length).toBeGreaterThan(10);
    expect(world.model.requests.length).toBeLessThan(20);
  });
});
