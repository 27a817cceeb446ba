import { defineTool, fail } from "@toolwright/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ScriptedCall, ScriptedWords } from "../../../examples/scripted-server.ts";
import { personAt, World } from "./agents-world.ts";
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
  "input that is a text": { answers: [[note('"a"')]], reads: /Error invalid_input/ },
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
