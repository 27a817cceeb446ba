import { Leaving, resumeLostTurns } from "@toolwright/agents";
import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { call, day, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const request = (input: number) => ({ usage: { input, cached: 0, written: 0, output: 1_000 } });
const lastWords = () => JSON.stringify(world.model.requests.at(-1)?.messages.at(-1));

describe("the limit of tokens", () => {
  it("is kept before it is reached: the last request there is room for is without tools", async () => {
    world = await World.open([[call("note", "a")], [call("note", "b")], "I got this far."], request(60_000));
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output).toMatchObject({ state: "done", text: "I got this far.", limit: "tokens" });
    expect(lastWords()).toContain("the limit of tokens is reached");
  });

  it("ends the turn with a sentence where there is no room to answer, and the next message goes on", async () => {
    world = await World.open([[call("note", "a")], "Next."], request(150_000));
    const person = personAt(world.start());
    const output = outputOf(await person.invokeNamed("agent_run", run));
    expect(output).toMatchObject({ state: "done", text: expect.stringContaining("limit of tokens"), limit: "tokens" });
    expect(world.did).toEqual(["note a"]);
    expect(world.model.requests).toHaveLength(1);
    const { conversation } = output;
    expect(outputOf(await person.invokeNamed("agent_run", { ...run, conversation })).text).toBe("Next.");
    expect(world.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });
});

describe("the limit of tokens of a turn that waited", () => {
  it("is kept before the first request of the process that goes on", async () => {
    world = await World.open([[call("pay", "a")], "One too many."], request(150_000));
    const asked = await personAt(world.start()).invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    const person = personAt(world.start());
    await person.answer(asked.approval.id, { kind: "approve" });
    const output = outputOf(await person.resume(asked.approval.id));
    expect(output).toMatchObject({ text: expect.stringContaining("limit of tokens"), limit: "tokens" });
    expect(world.did).toEqual(["pay a"]);
    expect(world.model.requests).toHaveLength(1);
  });
});

describe("what a call of a turn has a model do", () => {
  const ask = defineTool({
    name: "ask",
    description: "Ask a model.",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    effects: { model: "run" },
    async run(_, { model, usage }) {
      const answer = await (await model.open()).ask({ instructions: "Answer.", question: "Is it so?" });
      usage.add(answer.usage);
      return { text: answer.text };
    },
  });

  it("counts in the budget of the turn", async () => {
    world = await World.open([[{ name: "ask", input: {} }], "It is so.", "I got this far."], request(60_000));
    const output = outputOf(await personAt(world.start({ tools: [ask] })).invokeNamed("agent_run", run));
    expect(output).toMatchObject({
      text: "I got this far.",
      limit: "tokens",
      usage: { inputTokens: 180_000, outputTokens: 3_000, steps: 2 },
    });
    expect(lastWords()).toContain("the limit of tokens is reached");
  });

  it("counts where another call of the step waits, and another process goes on", async () => {
    world = await World.open([[{ name: "ask", input: {} }, call("pay", "a")], "It is so.", "I got this far."], request(60_000));
    const asked = await personAt(world.start({ tools: [ask] })).invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(JSON.stringify(asked));
    expect((await world.turns.list("acme", {})).at(0)?.usage).toMatchObject({ inputTokens: 120_000, outputTokens: 2_000 });
    const person = personAt(world.start({ tools: [ask] }));
    await person.answer(asked.approval.id, { kind: "approve" });
    expect(outputOf(await person.resume(asked.approval.id))).toMatchObject({
      limit: "tokens",
      usage: { inputTokens: 180_000, outputTokens: 3_000, steps: 2 },
    });
  });

  it("counts where the process lets go of the turn in the middle of the step, and another one goes on", async () => {
    world = await World.open([[{ name: "ask", input: {} }, call("slow", "a")], "It is so.", "I got this far."], request(60_000));
    const leaving = new Leaving();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(world.start({ tools: [ask], leaving })).invokeNamed("agent_run", run);
    await slow;
    const left = leaving.begin(60_000, world.clock);
    world.endSlow();
    await left;
    expect(await running).toMatchObject({ error: { code: "call_handed_over" } });
    const turnOf = async () => (await world.turns.list("acme", {})).at(0);
    expect(await turnOf()).toMatchObject({ state: "running", usage: { inputTokens: 120_000, outputTokens: 2_000 } });
    await resumeLostTurns({ engine: world.start({ tools: [ask] }), turns: world.turns, clock: world.clock, logger: world.logger });
    expect(await turnOf()).toMatchObject({ state: "done", limit: "tokens", usage: { inputTokens: 180_000, outputTokens: 3_000 } });
  });
});

describe("the limit of tokens a day", () => {
  it("is asked before a turn begins, by sub-agents too, and is another one the next day", async () => {
    const spawn = { name: "task_spawn", input: { task: "Note a." } };
    world = await World.open(["First.", [spawn], "Alone.", "Next."]);
    const limits = { tokensADay: 3 };
    await world.catalogue.agents.create("acme", {
      ...{ agent: "helper", name: "Helper", features: {}, restricted: false, acceptsAgents: false, limits },
    });
    const person = personAt(world.start());
    const ask = () => person.invokeNamed("agent_run", { ...run, agent: "helper" });
    expect(outputOf(await ask()).text).toBe("First.");
    expect(outputOf(await ask()).text).toBe("Alone.");
    expect(world.toolMessages().at(-1)).toContain("3 tokens of today");
    expect(await ask()).toMatchObject({ status: "failed", error: { message: expect.stringContaining("from 00:00 UTC") } });
    expect(world.model.requests).toHaveLength(3);
    await world.clock.advance(day);
    expect(outputOf(await ask()).text).toBe("Next.");
  });
});

describe("the limit of calls in one answer", () => {
  it("leaves those beyond it out, and says so", async () => {
    world = await World.open([Array.from({ length: 17 }, (_, index) => call("note", `${index}`)), "Noted."]);
    await personAt(world.start()).invokeNamed("agent_run", run);
    expect(world.did).toHaveLength(16);
    expect(world.toolMessages().at(-1)).toContain("may make 16 calls");
  });
});

describe("a call that repeats itself with the same result", () => {
  const again: ScriptedAnswer[] = Array.from({ length: 6 }, () => [call("note", "a")]);

  it("is pointed out at the third time, and ends the turn at the sixth", async () => {
    world = await World.open(again);
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output).toMatchObject({ state: "done", text: expect.stringContaining("6 times"), limit: "repeats" });
    expect(world.did).toHaveLength(6);
    const said = world.model.requests.map(({ messages }) => JSON.stringify(messages.at(-1)));
    expect(said.map((each) => each.includes("You made the same call"))).toEqual([false, false, false, true, true, true]);
  });

  it("counts anew when somebody said something", async () => {
    world = await World.open([...again.slice(0, 5), "Stuck.", ...again.slice(0, 5), "Stuck again."]);
    const person = personAt(world.start());
    const { conversation } = outputOf(await person.invokeNamed("agent_run", run));
    const output = outputOf(await person.invokeNamed("agent_run", { ...run, conversation }));
    expect(output.text).toBe("Stuck again.");
    expect(output.limit).toBeUndefined();
  });
});
