import { resumeLostTurns } from "@toolwright/agents";
import type { TurnRecord, TurnState } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const start = [{ name: "task_spawn", input: { task: "Look.", wait: false } }];
const status = (task: string) => [{ name: "task_status", input: { task } }];

/** Answers for the agent that a person asks, and for its sub-agent: they ask at once. */
async function open(agent: Iterable<ScriptedAnswer>, child: Iterable<ScriptedAnswer>): Promise<void> {
  const [first, second] = [agent, child].map((answers) => answers[Symbol.iterator]());
  function* script(): Generator<ScriptedAnswer> {
    for (;;) {
      const asked = world.model.requests.at(-1)?.messages.find(({ role }) => role === "user");
      const { value } = (asked?.content === "Look." ? second : first)?.next() ?? {};
      if (value === undefined) return;
      yield value;
    }
  }
  world = await World.open(script());
}

/** The sub-agent's turn, when it is there and in that state. */
function childIn(state: TurnState): Promise<TurnRecord> {
  return new Promise((resolve) => {
    const look = async () => {
      const found = (await world.turns.list("acme", { states: [state] })).find(({ parent }) => parent !== undefined);
      if (found) resolve(found);
    };
    world.turns.follow("acme", () => void look());
    void look();
  });
}

/** Resolves when so many calls of `slow` run. */
function slowRuns(times: number): Promise<void> {
  let left = times;
  return new Promise((resolve) => {
    world.onSlow = () => {
      left -= 1;
      if (left === 0) resolve();
    };
  });
}

describe("a sub-agent in the background", () => {
  it("works on when its parent has answered, and is read in a later turn of the conversation alone", async () => {
    let task = "";
    function* agent(): Generator<ScriptedAnswer> {
      yield start;
      yield "I go on.";
      yield status(task);
      yield "Read.";
      yield status(task);
      yield "Not read.";
    }
    await open(agent(), [[call("slow", "a")], "Seen."]);
    const slow = slowRuns(1);
    const person = personAt(world.start());
    const { text, conversation } = outputOf(await person.invokeNamed("agent_run", run));
    expect(text).toBe("I go on.");
    await slow;
    task = (await childIn("running")).id;
    expect(world.toolMessages()).toEqual([`It works as task ${task}. Read its answer with task_status.`]);
    world.endSlow();
    await childIn("done");
    await person.invokeNamed("agent_run", { ...run, conversation });
    expect(world.toolMessages().at(-1)).toBe("Seen.");
    await person.invokeNamed("agent_run", run);
    expect(world.toolMessages().at(-1)).toContain("There is no turn");
  });

  it("is waited for where its parent has nothing else to do", async () => {
    function* agent(): Generator<ScriptedAnswer> {
      yield start;
      yield status(/trn_\w+/.exec(String(world.toolMessages().at(-1)))?.[0] ?? "");
      yield "Read.";
    }
    await open(agent(), [[call("slow", "a")], "Seen."]);
    const slow = slowRuns(1);
    const running = personAt(world.start()).invokeNamed("agent_run", run);
    await slow;
    world.endSlow();
    expect(outputOf(await running).text).toBe("Read.");
    expect(world.toolMessages().at(-1)).toBe("Seen.");
  });

  it("waits for a person by itself, and goes on after the answer", async () => {
    await open([start, "I go on."], [[call("pay", "a")], "Paid."]);
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    await childIn("waiting");
    const [asked] = await personAt(engine).approvals();
    await personAt(engine).answer(asked?.record.id ?? "", { kind: "approve" });
    await engine.resumeDue();
    expect((await childIn("done")).text).toBe("Paid.");
    expect(world.did).toEqual(["pay a"]);
  });

  it("stops with its parent", async () => {
    await open([start, [call("slow", "a")]], [[call("slow", "b")]]);
    const slow = slowRuns(2);
    const engine = world.start();
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    const { parent = "" } = await childIn("running");
    await engine.operate(ann, "turns.cancel", { id: parent, reason: "Not today." });
    expect(outputOf(await running).state).toBe("cancelled");
    expect(await childIn("cancelled")).toMatchObject({ parent });
    expect(world.model.requests).toHaveLength(3);
  });

  it("has its approvals denied when its parent is stopped while both wait", async () => {
    await open([start, [call("pay", "a")]], [[call("pay", "b")]]);
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    const { parent = "" } = await childIn("waiting");
    await engine.operate(ann, "turns.cancel", { id: parent });
    await engine.resumeDue();
    expect(await personAt(engine).approvals()).toEqual([]);
    await engine.resumeDue();
    expect((await childIn("cancelled")).parent).toBe(parent);
    expect(world.did).toEqual([]);
  });

  it("goes on by itself in another process", async () => {
    const asked = Promise.withResolvers<void>();
    await open([start, "I go on."], [() => asked.resolve(), "Seen."]);
    await personAt(world.start({ clock: createManualClock(world.clock.now()) })).invokeNamed("agent_run", run);
    await asked.promise;
    await world.clock.advance(15_000);
    const { turns, clock, logger } = world;
    expect(await resumeLostTurns({ engine: world.start(), turns, clock, logger })).toBe(1);
    expect((await childIn("done")).text).toBe("Seen.");
  });
});
