import type { ServerResponse } from "node:http";
import { defineTool, fail } from "@toolwright/engine";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { type ScriptedCall, type ScriptedWords, sendJson } from "../../../examples/scripted-server.ts";
import { outputOf, personAt, World } from "./agents-world.ts";
import { chat, converse, messages, responses, type Wire } from "./wires.ts";

const half = "\ud92c";
const note = (input: unknown): ScriptedCall => ({ name: "note", input });
const named = (name: string): ScriptedCall => ({ name, input: { text: "a" } });
const identified = (id: string): ScriptedCall => ({ ...note({ text: id.slice(0, 9) }), id });
/** Of a text that servers refuse, or read as one that they refuse. */
const halfEscape = /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f])/i;
const deep = `{"text":${"[".repeat(20_000)}${"]".repeat(20_000)}}`;

interface Row {
  /** The answers to the first message. Each later request is answered with "Done.". */
  readonly answers: readonly ScriptedWords[];
  /** The first message. */
  readonly message?: string;
  /** Of the results that the model reads, in any order. */
  readonly reads?: RegExp;
  /** Of the record, as it came. */
  readonly keeps?: string;
}

/** What a model wrote, or read, by what is wrong with it. */
const rows: Readonly<Record<string, Row>> = {
  "input with a line break inside a text": { answers: [[note('{"text":"line 1\nline 2"}')]], reads: /invalid_input|line 1/ },
  "input that breaks off": {
    answers: [[note('{"text":"a')]],
    reads: /Error invalid_input/,
    keeps: JSON.stringify({ input: '{"text":"a' }).slice(1, -1),
  },
  "input that is a list": { answers: [[note("[1]")]], reads: /Error invalid_input/ },
  "input that is a number": { answers: [[note("5")]], reads: /Error invalid_input/ },
  "input that is a text": { answers: [[note('"a"')]], reads: /note did a/ },
  "input as JSON inside a text": { answers: [[note('"{\\"text\\":\\"a\\"}"')]], reads: /note did a|Error/ },
  "input with words behind it": { answers: [[note('{"text":"a"} and so on')]], reads: /Error invalid_input/ },
  "two inputs in one": { answers: [[note('{"text":"a"}{"text":"b"}')]], reads: /Error invalid_input/ },
  "input with a member that is no plain name": { answers: [[note('{"__proto__":{"a":1},"text":"a"}')]], reads: /./ },
  "input with 20,000 levels": { answers: [[note(deep)]], reads: /Error/ },
  "half a surrogate pair in the input": { answers: [[note('{"text":"half \\ud92c"}')]], reads: /./ },
  "half a surrogate pair in the name of a member": { answers: [[note('{"text":"a","\\udc00":1}')]], reads: /./ },
  "half a surrogate pair in broken input": { answers: [[note('{"text":"half \\ud92c')]], reads: /Error invalid_input/ },
  "half a surrogate pair in the answer": { answers: [[{ text: `Half ${half}` }]], keeps: "Half \\ud92c" },
  "half a surrogate pair before a call": { answers: [[{ text: `Half ${half}` }, note({ text: "a" })]], reads: /note did a/ },
  "half a surrogate pair in a tool's name": { answers: [[named(`note${half}`)]], reads: /Error tool_not_found/ },
  "half a surrogate pair in a tool's output": { answers: [[{ name: "half", input: {} }]], reads: /Half \ufffd/ },
  "half a surrogate pair in a tool's output that is JSON": { answers: [[{ name: "half_json", input: {} }]], reads: /Half \ufffd/ },
  "half a surrogate pair in a person's message": { answers: ["Done."], message: `Half ${half}`, keeps: "Half \\ud92c" },
  "a tool's name with dots": { answers: [[named("functions.note")]], reads: /Error tool_not_found/, keeps: "functions.note" },
  "a tool's name with blanks": { answers: [[named("take a note")]], reads: /Error tool_not_found/ },
  "a tool's name in other letters": { answers: [[named("заметка")]], reads: /Error tool_not_found/ },
  "a tool's name of 300 letters": { answers: [[named("n".repeat(300))]], reads: /Error tool_not_found/ },
  "a tool's name with a NUL": { answers: [[named("no\0te")]], reads: /Error tool_not_found/ },
  "a tool's name with markup": { answers: [[named('note<|channel|>"')]], reads: /Error tool_not_found/ },
  "an id with dots and colons": { answers: [[identified("functions.note:0")]], reads: /note did/ },
  "an id of 300 letters": { answers: [[identified("i".repeat(300))]], reads: /note did/ },
  "two ids of 300 letters that begin alike": {
    answers: [[identified(`${"i".repeat(300)}a`), identified(`${"i".repeat(300)}b`)]],
    reads: /note did/,
  },
  "one id in two answers": { answers: [[identified("call_1")], [identified("call_1")]], reads: /note did/ },
  "ids that differ in a colon": { answers: [[identified("a:1"), identified("a_1")]], reads: /note did/ },
  "a result without a word": { answers: [[{ name: "silent", input: {} }]], reads: /\[The result is empty\.\]/ },
  "a call that the policy denies": { answers: [[named("forbidden")]], reads: /Denied: / },
  "a call that fails": { answers: [[{ name: "broken", input: {} }]], reads: /Error tool_failed/ },
  "a NUL in the answer": { answers: [[{ text: "a\0b" }]] },
  "blanks before a call": { answers: [[{ text: " \n" }, note({ text: "a" })]], reads: /note did a/ },
};

const none = z.object({});
const text = z.object({ text: z.string() });
const about = { input: none, output: text, effects: {} };
const tools = [
  defineTool({
    ...about,
    name: "half",
    description: "Gives half a pair.",
    run: () => ({ text: `Half ${half}` }),
    toModel: ({ text: said }) => [{ type: "text", text: said }],
  }),
  defineTool({ ...about, name: "half_json", description: "Gives half a pair.", run: () => ({ text: `Half ${half}` }) }),
  defineTool({
    ...about,
    name: "silent",
    description: "Gives nothing.",
    run: () => ({ text: "" }),
    toModel: () => [{ type: "text", text: " " }],
  }),
  defineTool({ ...about, name: "broken", description: "Fails.", run: () => fail("no_luck", "Try again on Monday.") }),
];

function describeWire<Request>(wire: Wire<Request>): void {
  describe(`a conversation over ${wire.name} goes on after`, () => {
    const queue: ScriptedWords[] = [];
    let world: World<Request>;
    let person: ReturnType<typeof personAt>;
    beforeAll(async () => {
      const script = function* () {
        for (;;) yield queue.shift() ?? "Done.";
      };
      world = await World.openWith(wire, script());
      person = personAt(world.start({ tools }));
    });
    afterAll(() => world.close());

    it.each(Object.entries(rows))("%s", async (_, { answers, message = "Go.", reads, keeps = "Done." }) => {
      queue.push(...answers);
      await person.invokeNamed("agent_run", { agent: "assistant", message });
      const read = JSON.stringify(world.model.requests.at(-1));
      if (reads) expect(reads.test(read) || `It read ${read.slice(0, 20_000)}`).toBe(true);
      const [{ conversation } = { conversation: "" }] = await world.turns.list("acme", { limit: 1 });
      for (const next of ["And now?", "Hello?"]) {
        const result = await person.invokeNamed("agent_run", { agent: "assistant", message: next, conversation });
        expect(result).toMatchObject({ status: "done", output: { state: "done", text: "Done." } });
      }
      expect(queue).toEqual([]);
      expect(halfEscape.test(world.model.bodies.at(-1) ?? "")).toBe(false);
      const kept = JSON.stringify(await world.turns.messages({ tenant: "acme", conversation }));
      expect(kept).toContain(keeps);
    });
  });
}

describeWire(chat);
describeWire(responses);
describeWire(messages);
describeWire(converse);

const piece = (choice: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
const done = "data: [DONE]\n\n";
const said = piece({ delta: { role: "assistant", content: "So." } });
const noted = { id: "call_1", type: "function", function: { name: "note", arguments: '{"text":"a"}' } };

/** An answer of these pieces, as they are. */
const stream =
  (pieces: readonly string[], type = "text/event-stream", status = 200): ScriptedAnswer =>
  async (outgoing) => {
    outgoing.writeHead(status, { "content-type": type });
    for (const each of pieces) await new Promise((written) => outgoing.write(each, written));
    outgoing.end();
  };

const whole = (message: object, finish: object = { finish_reason: "stop" }) =>
  JSON.stringify({ id: "c", object: "chat.completion", created: 0, model: "m", choices: [{ index: 0, message, ...finish }] });
const page = "<!doctype html><title>Welcome</title><h1>It works!</h1>";

describe("a server that answers each time in another form", () => {
  let world: World;
  const script: ScriptedAnswer[] = [];
  beforeAll(async () => {
    const next = function* () {
      for (;;) yield script.shift() ?? "Done.";
    };
    world = await World.open(next());
  });
  afterAll(() => world.close());
  const ask = async (message: string, more: object = {}) => {
    const before = world.model.requests.length;
    const result = await world.patiently(personAt(world.start()).invokeNamed("agent_run", { agent: "assistant", message, ...more }));
    return { result, requests: world.model.requests.length - before };
  };
  async function expectNext(): Promise<void> {
    script.splice(0);
    const [turn] = await world.turns.list("acme", { limit: 1 });
    for (const message of ["And now?", "Hello?"])
      expect(outputOf((await ask(message, { conversation: turn?.conversation })).result).text).toBe("Done.");
  }

  it.each<[string, ScriptedAnswer, string]>([
    ["one JSON value in place of a stream", stream([whole({ role: "assistant", content: "So." })], "application/json"), "So."],
    ["one JSON value without a reason", stream([whole({ content: "So." }, {})], "application/json; charset=utf-8"), "So."],
    ["one JSON value as plain text", stream(["\n ", whole({ content: "So." })], "text/plain"), "So."],
    ["one JSON value with a call", stream([whole({ content: null, tool_calls: [noted] }, {})], "application/json"), "Done."],
    ["one JSON value in 3-letter pieces", stream(whole({ content: "Söß." }).match(/.{1,3}/gsu) ?? [], "application/json"), "Söß."],
    [
      "a JSON value a line",
      stream(
        [said, piece({ delta: {}, finish_reason: "stop" })].map((each) => `${each.slice(6).trim()}\n`),
        "application/x-ndjson",
      ),
      "So.",
    ],
    ["no reason why it ended", stream([said, done]), "So."],
    ["no reason, with a null in its place", stream([piece({ delta: { content: "So." }, finish_reason: null }), done]), "So."],
    ["no reason, letter by letter", stream([...`${said}${done}`]), "So."],
    ["no reason after a call", stream([piece({ delta: { tool_calls: [{ index: 0, ...noted }] } }), done]), "Done."],
    [
      "no reason, with one in its words",
      stream([piece({ delta: { content: 'So "finish_reason":"stop".' } }), done]),
      'So "finish_reason":"stop".',
    ],
    ["a stream under another name", stream([said, piece({ delta: {}, finish_reason: "stop" }), done], "text/plain"), "So."],
    ["a stream without a name", stream([": ping\n\n", said, piece({ delta: {}, finish_reason: "stop" })], ""), "So."],
    [
      "lines that end in CRLF",
      stream([said, piece({ delta: {}, finish_reason: "stop" }), done].map((each) => each.replaceAll("\n", "\r\n"))),
      "So.",
    ],
    ["the last word in the piece with the reason", stream([piece({ delta: { content: "So." }, finish_reason: "stop" }), done]), "So."],
    ["nothing behind the reason", stream([said, piece({ delta: {}, finish_reason: "stop" })]), "So."],
  ])("is read where it gives %s", async (_, answer, text) => {
    script.push(answer);
    const { result } = await ask("Go.");
    expect(outputOf(result)).toMatchObject({ state: "done", text });
    await expectNext();
  });

  it.each<[string, ScriptedAnswer, number, RegExp]>([
    ["a page", stream([page], "text/html"), 1, /no model server: it answered with a page \(HTTP 200\)/],
    ["a page under another name", stream([page], "text/plain"), 1, /no model server: it answered with a page/],
    ["JSON of another kind", stream(['{"models":[]}'], "application/json"), 1, /no model server: it answered with JSON of another kind/],
    ["words", stream(["OK"], "text/plain"), 1, /no model server: it answered with something else/],
    ["nothing", stream([], "text/plain"), 1, /no model server: it answered with something else/],
    ["a stream without an answer", stream([done]), 3, /gave no whole answer/],
    ["a stream that stops each time", stream([said]), 3, /gave no whole answer/],
    [
      "an error for good, in JSON",
      stream(['{"error":{"message":"No such model.","code":404}}'], "application/json"),
      1,
      /is not known to its provider/,
    ],
  ])("fails at once where it gives %s, and says so", async (_, answer, requests, words) => {
    script.push(...Array(9).fill(answer));
    const asked = await ask("Go.");
    expect(asked.result).toMatchObject({
      status: "failed",
      error: { toolCode: "model_unavailable", message: expect.stringMatching(words) },
    });
    expect(asked.requests).toBe(requests);
    expect(JSON.stringify(asked.result)).not.toContain("It works!");
    await expectNext();
  });

  it("is waited for where it is busy: the call, the stream and the log say for how long", async () => {
    const busy = (outgoing: ServerResponse) =>
      sendJson(outgoing, { status: 429, headers: { "retry-after": "20" }, body: { error: { message: "Slow down." } } });
    script.push(busy, "At last.");
    const progress: unknown[] = [];
    const add = vi.spyOn(world.stream, "add");
    const run = personAt(world.start()).invokeNamed(
      "agent_run",
      { agent: "assistant", message: "Go." },
      { onProgress: (report) => progress.push(report) },
    );
    const { turn, conversation, text } = outputOf(await world.patiently(run));
    expect(text).toBe("At last.");
    const words = "The model openai-compatible/scripted-1 is busy (HTTP 429). It is asked again in 20 s.";
    expect(progress).toContainEqual(expect.objectContaining({ message: words }));
    expect(JSON.stringify(add.mock.calls)).toContain(`"data-model-wait","data":{"message":${JSON.stringify(words)},"until":`);
    expect(JSON.stringify(await world.stream.read({ tenant: "acme", id: turn }, 0))).not.toContain("data-model-wait");
    const events = await world.events.read({ tenant: "acme", session: conversation });
    expect(events.map(({ event }) => event).find(({ type }) => type === "agent.model_waited")?.data).toMatchObject({
      failure: "busy",
      pauseMs: 20_000,
    });
  });
});

describe("an answer that is cut off", () => {
  const ending = (reason: string, words = "The total is 4") =>
    stream([piece({ delta: { role: "assistant", content: words } }), piece({ delta: {}, finish_reason: reason }), done]);
  let world: World;
  afterEach(() => world.close());

  it.each([
    ["length", "length", /limit of output tokens/],
    ["MAX_TOKENS", "length", /limit of output tokens/],
    ["content_filter", "content-filter", /content filter/],
    ["SAFETY", "content-filter", /content filter/],
    ["error", "error", /reported an error/],
    ["abort", "error", /reported an error/],
  ])("with %s says so in result, turn, stream and log, and its conversation goes on", async (raw, finishReason, words) => {
    world = await World.open([ending(raw), "Done."]);
    const person = personAt(world.start());
    const result = await person.invokeNamed("agent_run", { agent: "assistant", message: "Go." });
    const { turn: id, conversation } = outputOf(result);
    expect(result).toMatchObject({
      output: { state: "done", text: "The total is 4", finishReason },
      content: [{ text: expect.stringMatching(words) }],
    });
    expect(await world.turns.get({ tenant: "acme", id })).toMatchObject({ text: "The total is 4", finishReason });
    expect(JSON.stringify(await world.stream.read({ tenant: "acme", id }, 0))).toContain(
      `"type":"finish","finishReason":"${finishReason}"`,
    );
    const events = await world.events.read({ tenant: "acme", session: conversation });
    expect(events.find(({ event }) => event.type === "agent.ended")?.event.data).toMatchObject({ finishReason });
    const next = outputOf(await person.invokeNamed("agent_run", { agent: "assistant", message: "And?", conversation }));
    expect(next).toMatchObject({ text: "Done." });
    expect(next).not.toHaveProperty("finishReason");
  });

  it.each(["stop", "eos_token", "end_turn", ""])("with %j is whole", async (raw) => {
    world = await World.open([ending(raw)]);
    const result = await personAt(world.start()).invokeNamed("agent_run", { agent: "assistant", message: "Go." });
    expect(outputOf(result)).toMatchObject({ state: "done", text: "The total is 4" });
    expect(outputOf(result)).not.toHaveProperty("finishReason");
  });

  it("before its first word fails with the reason", async () => {
    world = await World.open([ending("length", "")]);
    const result = await personAt(world.start()).invokeNamed("agent_run", { agent: "assistant", message: "Go." });
    expect(result).toMatchObject({ error: { message: expect.stringMatching(/without a word.*limit of output tokens/) } });
  });
});
