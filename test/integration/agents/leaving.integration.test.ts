import { Leaving, resumeLostTurns } from "@toolwright/agents";
import type { Engine } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, beginAnswer, call, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const turnOf = async () => (await world.turns.list("acme", {})).at(0);
/** At another process, which finds it at once: nobody waits for a lease to end. */
const resume = () => resumeLostTurns({ engine: world.start(), turns: world.turns, clock: world.clock, logger: silentLogger });
const handedOver = {
  status: "failed",
  error: { code: "call_handed_over", message: expect.stringMatching(/another one goes on with turn trn_/) },
};

describe("a turn whose process ends in good order", () => {
  it("in the middle of an answer goes on in another one, and people see the answer once", async () => {
    const said = Promise.withResolvers<void>();
    await open([call("note", "a")], (outgoing) => beginAnswer(outgoing, "Half", said.resolve), "All noted.");
    const leaving = new Leaving();
    const running = personAt(world.start({ leaving })).invokeNamed("agent_run", run);
    await said.promise;
    await leaving.begin(1_000, world.clock);
    expect(await running).toMatchObject(handedOver);
    expect(await turnOf()).toMatchObject({ state: "running", steps: 1 });
    expect(await resume()).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "All noted.", steps: 2 });
    expect(world.did).toEqual(["note a"]);
    const shown = JSON.stringify(await world.stream.read({ tenant: "acme", id: (await turnOf())?.id ?? "" }, 0));
    expect(shown).not.toContain("Half");
    expect(shown.match(/All noted\./g)).toHaveLength(1);
  });

  it("in the middle of a call is let go of when the call has ended, which is not made again", async () => {
    await open([call("slow", "a"), call("note", "b")], "Done.");
    const leaving = new Leaving();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(world.start({ leaving })).invokeNamed("agent_run", run);
    await slow;
    const left = leaving.begin(1_000, world.clock);
    world.onSlow = () => {
      throw new Error("The call is made again.");
    };
    world.endSlow();
    await left;
    expect(await running).toMatchObject(handedOver);
    expect(await resume()).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
    expect(world.did).toEqual(["note b"]);
    expect(world.toolMessages()).toEqual([expect.stringContaining("ended"), expect.stringContaining("note did b")]);
    expect(world.model.requests).toHaveLength(2);
  });

  it("in the middle of a call that takes too long: the call is cancelled, and the turn goes on", async () => {
    await open([call("slow", "a")], "Done.");
    const leaving = new Leaving();
    const stop = new AbortController();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(world.start({ leaving })).invokeNamed("agent_run", run, { signal: stop.signal });
    await slow;
    const left = leaving.begin(1_000, world.clock);
    await world.clock.advance(1_000);
    await left;
    stop.abort();
    expect(await running).toMatchObject(handedOver);
    expect(await resume()).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
    expect(world.toolMessages()).toEqual([expect.stringMatching(/cancelled/i)]);
  });

  it("in the middle of a sub-agent's answer goes on with the sub-agent, whose answer it reads", async () => {
    const said = Promise.withResolvers<void>();
    const spawn = [{ name: "task_spawn", input: { task: "Look." } }];
    await open(spawn, (outgoing) => beginAnswer(outgoing, "Half", said.resolve), "Seen.", "It was seen.");
    const leaving = new Leaving();
    const running = personAt(world.start({ leaving })).invokeNamed("agent_run", run);
    await said.promise;
    await leaving.begin(1_000, world.clock);
    expect(await running).toMatchObject(handedOver);
    expect(await resume()).toBe(1);
    const turns = await world.turns.list("acme", {});
    expect(turns.map(({ state, text }) => [state, text])).toEqual([
      ["done", "Seen."],
      ["done", "It was seen."],
    ]);
    expect(world.toolMessages()).toEqual(["Seen."]);
  });

  it("is found by its caller, who makes the call again with its key", async () => {
    const said = Promise.withResolvers<void>();
    await open((outgoing) => beginAnswer(outgoing, "Half", said.resolve), "Whole.");
    const leaving = new Leaving();
    const ask = (engine: Engine) => personAt(engine).invokeNamed("agent_run", run, { idempotencyKey: "k1" });
    const running = ask(world.start({ leaving }));
    await said.promise;
    await leaving.begin(1_000, world.clock);
    expect(await running).toMatchObject(handedOver);
    expect(await ask(world.start())).toMatchObject({ status: "done", output: { text: "Whole." } });
    expect(await world.turns.list("acme", {})).toHaveLength(1);
  });

  it("ends all the same where a person stopped it", async () => {
    const said = Promise.withResolvers<void>();
    await open((outgoing) => beginAnswer(outgoing, "So far", said.resolve));
    const leaving = new Leaving();
    const engine = world.start({ leaving });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await said.promise;
    await engine.operate(ann, "turns.cancel", { id: (await turnOf())?.id ?? "", reason: "Enough." });
    await leaving.begin(1_000, world.clock);
    expect(await running).toMatchObject({ status: "done", output: { state: "cancelled" } });
    expect(await resume()).toBe(0);
  });

  it("is not taken up again by the process that ends, nor held by it", async () => {
    const [asked, again] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await open(
      () => asked.resolve(),
      () => again.resolve(),
      "Done.",
    );
    const dying = world.start({ clock: createManualClock(world.clock.now()) });
    void personAt(dying).invokeNamed("agent_run", run);
    await asked.promise;
    await world.clock.advance(15_000);
    const leaving = new Leaving();
    const parts = { turns: world.turns, clock: world.clock, logger: silentLogger };
    const resuming = resumeLostTurns({ ...parts, engine: world.start({ leaving }), leaving });
    await again.promise;
    await leaving.begin(1_000, world.clock);
    await resuming;
    expect(await resume()).toBe(1);
    expect(await turnOf()).toMatchObject({ state: "done", text: "Done." });
  });
});
