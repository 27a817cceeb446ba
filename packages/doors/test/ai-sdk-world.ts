import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createEngine, defineTool, fail, type Scope } from "@toolwright/engine";
import { createMemoryEventLog, silentLogger } from "@toolwright/engine/ports";
import { isStepCount, type ModelMessage } from "ai";
import { z } from "zod";
import { type ScriptedAnswer, type ScriptedCall, type ScriptedModel, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { type AISDKOptions, toAISDK } from "../src/ai-sdk/index.ts";

/** Whom the tool `pay` paid. */
export const paid: string[] = [];
const text = z.object({ text: z.string() });
export const tools = [
  defineTool({
    name: "add",
    description: "Adds two whole numbers.",
    input: z.object({ a: z.int().describe("First"), b: z.int().describe("Second"), note: z.string().nullish().describe("Note") }),
    output: z.object({ sum: z.int() }),
    examples: [{ label: "Small", input: { a: 1, b: 2 } }],
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  defineTool({
    name: "pay",
    description: "Pays somebody.",
    input: z.object({ to: z.string().describe("Who") }),
    output: text,
    effects: { destructive: true },
    approval: "always_ask",
    run: ({ to }) => {
      paid.push(to);
      return { text: `Paid ${to}.` };
    },
  }),
  defineTool({
    name: "refuse",
    description: "Fails in a foreseen way.",
    input: z.object({}),
    output: text,
    run: () => fail("no_luck", "Try again on Monday."),
  }),
  defineTool({
    name: "crash",
    description: "Throws.",
    input: z.object({}),
    output: text,
    run: () => {
      throw new Error("at /home/ann/secret.ts");
    },
  }),
  defineTool({
    name: "tag",
    description: "Tags an order.",
    input: z.object({ tags: z.record(z.string(), z.string()).describe("Tags by name"), note: z.string().optional().describe("Note") }),
    output: text,
    effects: { destructive: true },
    approval: "always_ask",
    run: (input) => {
      paid.push(JSON.stringify(input));
      return { text: "Tagged." };
    },
  }),
  defineTool({
    name: "settle",
    description: "Pays what is owed.",
    input: z.object({ to: z.string().describe("Who") }),
    output: text,
    effects: { tools: ["pay"] },
    async run({ to }, { tools: inside }) {
      const { status } = await inside.call("pay", { to });
      return { text: `Settled: ${status}.` };
    },
  }),
  defineTool({ name: "forbidden", description: "Is denied.", input: z.object({}), output: text, run: () => ({ text: "ran" }) }),
  defineTool({
    name: "slow",
    description: "Tells how far it is, and waits for its signal.",
    input: z.object({ forever: z.boolean().describe("Whether to wait") }),
    output: text,
    async run({ forever }, { progress, output, signal }) {
      progress(1, 2, "half");
      output.append("first line\n");
      await new Promise<void>((done) => {
        if (!forever) return setImmediate(done);
        signal.addEventListener("abort", () => done());
        waiting.started();
      });
      return { text: "ended" };
    },
  }),
];
/** Called when `slow` waits. */
export const waiting = { started: () => {} };
const agent = { tenant: "acme", actor: { kind: "agent", id: "helper" }, onBehalfOf: "ann", door: "ai-sdk" } as const;
const person = { tenant: "acme", actor: { kind: "user", id: "ann" }, interactive: true } as const;

export type { ScriptedCall };
export type Script = readonly ScriptedAnswer[];

let model: ScriptedModel;

/** Ends the model of a test, and forgets what it paid. */
export async function tearDown(): Promise<void> {
  await model.close();
  paid.length = 0;
}

/** A model that says what its script says, for `generateText`. */
export async function openModel(script: Script) {
  model = await serveScriptedModel(script);
  return createOpenAICompatible({ name: "scripted", baseURL: model.url })("scripted-1");
}

export const requests = () => model.requests;

/** An engine in memory, an agent and its person, and a model. */
export async function setUp(script: Script, options: (person: Scope) => AISDKOptions = () => ({})) {
  const chat = await openModel(script);
  const events = createMemoryEventLog();
  const engine = createEngine({ tools, events, logger: silentLogger, policy: { deny: ["forbidden"] } });
  const scope = engine.scope(agent, { session: "chat" });
  const ann = engine.scope(person, { session: "inbox" });
  const settings = () => ({ model: chat, ...toAISDK(scope, options(ann)), stopWhen: isStepCount(5) });
  const types = async () => (await events.read({ tenant: "acme", session: "chat" })).map(({ event }) => event.type);
  return { engine, scope, ann, settings, types };
}

/** What the model read of the calls of its last step. */
export const toolMessages = () =>
  model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content) ?? [];
export const ask: ModelMessage[] = [{ role: "user", content: "Go." }];
