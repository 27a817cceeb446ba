import { generateText, streamText } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { ask, requests, setUp, tearDown, toolMessages, waiting } from "../../test/ai-sdk-world.ts";
import { toAISDK } from "./index.ts";

afterEach(tearDown);

describe("tools in generateText, over HTTP", () => {
  it("run through the gate, and the model reads their view", async () => {
    const { settings, types } = await setUp([[{ name: "add", input: { a: 2, b: 3 } }], "Five."]);
    const result = await generateText({ ...settings(), messages: ask });
    expect(result.text).toBe("Five.");
    expect(result.steps[0]?.toolResults[0]?.output).toMatchObject({ status: "done", output: { sum: 5 } });
    expect(toolMessages()).toEqual([expect.stringContaining("5")]);
    expect(await types()).toEqual(["tool.started", "tool.completed"]);
  });

  it.each([
    ["a wrong type", "add", { a: "2", b: 3 }, /5[\s\S]*repaired at \/a/],
    ["input that does not fit", "add", { a: "two", b: 3 }, /^Error invalid_input: [\s\S]*\/a: expected a whole number/],
    ["broken JSON", "add", '{"a": 2, "b"', /^Error invalid_input: /],
    ["an unknown name", "ad", { a: 2, b: 3 }, /There is no tool named "ad"\. Did you mean "add"\?/],
    ["a tool that the policy denies", "forbidden", {}, /Denied: .*\nRule: tools\.deny/],
    ["a foreseen failure", "refuse", {}, /^Error tool_failed \(no_luck\): Try again on Monday\./],
    ["a thrown error", "crash", {}, /^Error tool_error: (?!.*\/home\/ann)/],
  ])("%s is told in the gate's words, and is in its log", async (_, name, input, said) => {
    const { settings, types } = await setUp([[{ name, input }], "Well."]);
    await generateText({ ...settings(), messages: ask });
    expect(toolMessages()).toEqual([expect.stringMatching(said)]);
    expect((await types()).at(-1)).toMatch(/^tool\.(completed|failed|denied)$/);
  });
});

describe("a tool that takes its time", () => {
  it("shows its progress and output before its result", async () => {
    const { settings } = await setUp([[{ name: "slow", input: { forever: false } }], "Done."]);
    const { stream } = streamText({ ...settings(), messages: ask });
    const outputs: unknown[] = [];
    for await (const part of stream) if (part.type === "tool-result") outputs.push([part.preliminary === true, part.output]);
    expect(outputs[0]).toEqual([
      true,
      { status: "running", progress: expect.objectContaining({ done: 1, total: 2 }), text: "first line\n" },
    ]);
    expect(outputs.at(-1)).toEqual([false, expect.objectContaining({ status: "done" })]);
  });

  it("is cancelled with the generation", async () => {
    const { settings, types } = await setUp([[{ name: "slow", input: { forever: true } }]]);
    const controller = new AbortController();
    waiting.started = () => controller.abort();
    await expect(generateText({ ...settings(), messages: ask, abortSignal: controller.signal })).rejects.toThrow();
    expect((await types()).at(-1)).toBe("tool.cancelled");
  });
});

describe("what each request holds", () => {
  const sent = (index: number) => (requests()[index]?.tools ?? []).map(({ function: { name } }) => name);

  it("is every tool in the catalogue's order, with strict mode where the schema says all", async () => {
    const { settings } = await setUp(["Hello."], () => ({ target: "openai-strict" }));
    const { tools: made } = settings();
    await generateText({ ...settings(), messages: ask });
    expect(sent(0)).toEqual(["add", "crash", "pay", "refuse", "settle", "slow", "tag"]);
    expect(requests()[0]?.tools?.[0]?.function).toMatchObject({ strict: true, description: expect.stringContaining("Small") });
    expect(made.add?.metadata).toMatchObject({ toolwright: { hints: { readOnlyHint: true }, effects: {} } });
  });

  it("is told apart for a provider with fields of its own", async () => {
    const { settings } = await setUp([], () => ({ target: "anthropic" }));
    const { add, tag } = settings().tools;
    expect(add).toMatchObject({ inputExamples: [{ input: { a: 1, b: 2 } }] });
    expect([add?.providerOptions, add?.strict]).toEqual([undefined, undefined]);
    expect(tag?.providerOptions).toEqual({ anthropic: { cacheControl: { type: "ephemeral" } } });
  });

  it("stays within the budget: a search finds the rest, what it found stays, and the beginning does not change", async () => {
    const world = await setUp([
      [{ name: "tool_search", input: { query: "pay somebody" } }],
      [{ name: "pay", input: { to: "Bob" } }],
      "Hello.",
    ]);
    const door = toAISDK(world.scope, { budget: 0, always: ["slow"] });
    const { responseMessages } = await generateText({ ...world.settings(), ...door, messages: ask });
    expect([sent(0), sent(1)]).toEqual([
      ["tool_search", "slow"],
      ["tool_search", "slow", "pay"],
    ]);
    expect(await world.ann.approvals()).toHaveLength(1);
    const later = toAISDK(world.scope, { budget: 0, always: ["slow"], messages: responseMessages });
    await generateText({ ...world.settings(), ...later, messages: [{ role: "user", content: "Anything else?" }] });
    expect(sent(2)).toEqual(["tool_search", "slow", "pay"]);
    const states = (made: typeof door) => made.why().map(({ name, state }) => `${name}: ${state}`);
    expect(states(door)).toEqual([
      "add: deferred",
      "crash: deferred",
      "pay: found",
      "refuse: deferred",
      "settle: deferred",
      "slow: always",
      "tag: deferred",
    ]);
    expect(states(later)).toContain("pay: used");
    for (const { tokens } of door.why()) expect(tokens).toBeGreaterThan(10);
  });

  it("does not run what is not loaded, and says how to load it", async () => {
    const world = await setUp([[{ name: "pay", input: { to: "Bob" } }], "Oh."]);
    await generateText({ ...world.settings(), ...toAISDK(world.scope, { budget: 0 }), messages: ask });
    expect(toolMessages()).toEqual([expect.stringMatching(/"pay" is not loaded yet\. Search for it first/)]);
    expect(await world.ann.approvals()).toEqual([]);
  });
});
