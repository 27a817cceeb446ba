import type { ServerResponse } from "node:http";
import { resumeLostTurns, startResuming } from "@toolwright/agents";
import type { Engine } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, beginAnswer, call, day, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const turnOf = async () => (await world.turns.list("acme", {})).at(0);
const refuse =
  (status: number, headers: Record<string, string> = {}) =>
  (outgoing: ServerResponse) => {
    outgoing
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end('{"error":{"message":"No: key sk-canary-1 is wrong."}}');
  };
const breakOff = (outgoing: ServerResponse) => beginAnswer(outgoing, "Half", () => outgoing.destroy());

describe("a turn whose process died", () => {
  it("goes on in another one: a stored response is not requested again, and what was done is not done twice", async () => {
    const asked = Promise.withResolvers<void>();
    await open([call("note", "a"), call("note", "b")], () => asked.resolve(), "All noted.");
    const dying = world.start({ clock: createManualClock(world.clock.now()) });
    void personAt(dying).invokeNamed("agent_run", run);
    await asked.promise;
    const engine = world.start();
    const resume = () => resumeLostTurns({ engine, turns: world.turns, clock: world.clock, logger: silentLogger });
    expect(await resume()).toBe(0);
    await world.clock.advance(15_000);
    expect(await resume()).toBe(1);
    expect(await resume()).toBe(0);
    expect(await turnOf()).toMatchObject({ state: "done", text: "All noted.", steps: 2 });
    expect(world.did).toEqual(["note a", "note b"]);
    expect(world.model.requests).toHaveLength(3);
    expect(world.model.requests[2]?.messages).toEqual(world.model.requests[1]?.messages);
  });

  it("goes on in the job that began it, which another worker takes up as a new call", async () => {
    const asked = Promise.withResolvers<void>();
    await open(() => asked.resolve(), "All noted.");
    const work = (engine: Engine) =>
      engine
        .scope({ ...ann, interactive: false, unattended: true }, { session: "inbox" })
        .invokeNamed("agent_run", run, { idempotencyKey: "job_1 1" });
    void work(world.start({ clock: createManualClock(world.clock.now()) }));
    await asked.promise;
    world.freeKeys();
    const taken = work(world.start());
    // Until then the turn may be somebody's.
    for (let second = 0; second < 20; second += 5) await world.clock.advance(5_000);
    expect(outputOf(await taken)).toMatchObject({ text: "All noted.", state: "done" });
    expect(await world.turns.list("acme", {})).toHaveLength(1);
    expect(world.model.requests).toHaveLength(2);
  });

  it("goes on in the call of its caller that is made again with its key, and in nobody else's", async () => {
    const asked = Promise.withResolvers<void>();
    await open(() => asked.resolve(), "For Bob.", "All noted.", "Another day.");
    const ask = (engine: Engine, id = "ann") =>
      engine.scope({ ...ann, actor: { kind: "user", id } }).invokeNamed("agent_run", run, { idempotencyKey: "k1" });
    void ask(world.start({ clock: createManualClock(world.clock.now()) }));
    await asked.promise;
    world.freeKeys();
    const engine = world.start();
    expect(outputOf(await ask(engine, "bob")).text).toBe("For Bob.");
    const again = ask(engine);
    for (let second = 0; second < 20; second += 5) await world.clock.advance(5_000);
    const output = outputOf(await again);
    expect(output.text).toBe("All noted.");
    world.freeKeys();
    expect(outputOf(await ask(world.start()))).toEqual(output);
    expect((await world.turns.list("acme", {})).map(({ owner }) => owner)).toEqual(["bob", "ann"]);
    expect(world.model.requests).toHaveLength(3);
    // A key is remembered for a day.
    await world.clock.advance(day);
    expect(outputOf(await ask(engine)).text).toBe("Another day.");
  });

  it("goes on with calls of a stored response that had not ended", async () => {
    await open([call("slow", "a"), call("note", "b")], "Done.");
    const dying = world.start({ clock: createManualClock(world.clock.now()) });
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    void personAt(dying).invokeNamed("agent_run", run);
    await slow;
    await world.clock.advance(15_000);
    const engine = world.start();
    const resuming = resumeLostTurns({ engine, turns: world.turns, clock: world.clock, logger: silentLogger });
    // Of the call that the dead process had begun its store says how it ended; this one has no other process to say so.
    world.endSlow();
    expect(await resuming).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
    expect(world.did).toEqual(["note b"]);
    expect(world.model.requests).toHaveLength(2);
  });
});

describe("a process that looks for turns whose process died", () => {
  const dieInFirstStep = async () => {
    const asked = Promise.withResolvers<void>();
    await open(() => asked.resolve(), "Done.");
    void personAt(world.start({ clock: createManualClock(world.clock.now()) })).invokeNamed("agent_run", run);
    await asked.promise;
  };
  it("goes on with them until it is told to stop", async () => {
    await dieInFirstStep();
    const { turns, clock, logger } = world;
    const stop = startResuming({ engine: world.start(), turns, clock, logger });
    const ended = new Promise<void>((resolve) => {
      turns.follow("acme", async () => (await turnOf())?.state === "done" && resolve());
    });
    await clock.advance(20_000);
    await ended;
    stop();
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
  });

  it("tries one that may not go on again after a minute, and says why", async () => {
    await dieInFirstStep();
    await world.clock.advance(15_000);
    const { turns, clock, logger } = world;
    const engine = world.start({ denied: ["agent_run"] });
    const resume = () => resumeLostTurns({ engine, turns, clock, logger });
    expect([await resume(), await resume()]).toEqual([1, 0]);
    expect(world.log).toEqual([
      { message: expect.stringContaining("may not go on"), fields: expect.objectContaining({ error: "denied" }) },
    ]);
    await world.clock.advance(60_000);
    expect(await resume()).toBe(1);
    await world.clock.advance(60_000);
    expect(await resumeLostTurns({ engine: world.start(), turns, clock, logger })).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
  });
});

describe("a model that fails", () => {
  it("is asked again after a pause, by what it says of one, and what came of half an answer is not kept", async () => {
    await open(refuse(503), refuse(429, { "retry-after": "20" }), breakOff, "At last.");
    const before = world.clock.now();
    const output = outputOf(await world.patiently(personAt(world.start()).invokeNamed("agent_run", run)));
    expect(output.text).toBe("At last.");
    expect(world.clock.now() - before).toBeGreaterThanOrEqual(2_000 + 20_000);
    const messages = await world.turns.messages({ tenant: "acme", conversation: output.conversation });
    expect(JSON.stringify(messages)).not.toContain("Half");
  });

  it("for ten minutes is given up, and the conversation goes on with the next message", async () => {
    await open(...Array.from({ length: 16 }, () => refuse(500)), "Well again.");
    const engine = world.start();
    const result = await world.patiently(personAt(engine).invokeNamed("agent_run", run));
    expect(result).toMatchObject({ status: "failed", error: { toolCode: "model_unavailable" } });
    const { conversation = "" } = (await turnOf()) ?? {};
    const next = await world.patiently(personAt(engine).invokeNamed("agent_run", { ...run, conversation }));
    expect(outputOf(next).text).toBe("Well again.");
  });

  it.each([
    [401, /refused the key/],
    [404, /not known to its provider/],
    [400, /refused the request/],
  ])("with HTTP %s ends the turn at once, in words of ours and without the provider's", async (status, words) => {
    await open(refuse(status));
    const result = await personAt(world.start()).invokeNamed("agent_run", run);
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringMatching(words) } });
    const events = await world.events.read({ tenant: "acme", session: "inbox" });
    expect(JSON.stringify([result, events, await turnOf()])).not.toContain("sk-canary-1");
    expect(await turnOf()).toMatchObject({ state: "failed" });
  });

  it("that is not there ends the turn, with the names that are", async () => {
    await open();
    const result = await personAt(world.start({ usual: "nowhere/x" })).invokeNamed("agent_run", run);
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("demo, openai-compatible") } });
  });
});

describe("the limit of steps", () => {
  it("lets the agent answer without tools, and says so", async () => {
    await open(...Array.from({ length: 14 }, (_, index) => [call("note", `${index}`)]), "I got this far.");
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output).toMatchObject({ text: "I got this far.", limit: "steps" });
    expect(world.did).toHaveLength(14);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages.at(-1))).toContain("last answer of this turn");
  });
});

describe("the demo model", () => {
  it("says what it is, and calls what the message names", async () => {
    await open();
    const person = personAt(world.start({ usual: "demo/demo" }));
    expect(outputOf(await person.invokeNamed("agent_run", run)).text).toMatch(/^\[demo model, no AI\] You wrote: Go\./);
    const output = outputOf(await person.invokeNamed("agent_run", { ...run, message: 'call note {"text":"a"}' }));
    expect(output.text).toBe('[demo model, no AI] note: {"text":"note did a"}');
    expect(world.did).toEqual(["note a"]);
  });
});
