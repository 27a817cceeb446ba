import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const helper = { agent: "helper", name: "Helper", features: {}, restricted: false, acceptsAgents: false };
const letters = { skill: "letters", title: "Letters", instructions: "# Begin with a greeting\n\nThen write.", tools: [] };
const run = { agent: "helper", message: "Go." };

const give = async (skill: string) => world.catalogue.skills.setForAgent({ tenant: "acme", agent: "helper", skill }, true);
const makeHelper = async (more: object = {}) => {
  await world.catalogue.agents.create("acme", { ...helper, ...more });
  await world.catalogue.skills.create("acme", letters);
};

/** The bytes that providers keep: what every request of the agent begins with. */
const prefixes = () => world.model.requests.map(({ messages, tools }) => JSON.stringify([messages[0], tools]));
const promptOf = (index: number) => String(world.model.requests.at(index)?.messages[0]?.content);
const toolsOf = (index: number) => world.model.requests.at(index)?.tools?.map(({ function: { name } }) => name);

describe("what an agent is", () => {
  it("stands in its requests: instructions, then skills, the same bytes over turns and processes", async () => {
    await open([call("note", "a")], "First.", "Second.", "Third.");
    await makeHelper({ instructions: "Be short." });
    for (const skill of ["zebra", "apple"]) {
      await world.catalogue.skills.create("acme", { ...letters, skill, title: skill });
      await give(skill);
    }
    const { conversation } = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    await personAt(world.start()).invokeNamed("agent_run", { ...run, conversation });
    await personAt(world.start()).invokeNamed("agent_run", run);
    expect(promptOf(0)).toMatch(/^Be short\.\n\n# Skills\n\n.*\n\n- apple: apple \| Begin with a greeting\n- zebra: zebra \|/);
    expect(new Set(prefixes()).size).toBe(1);
    expect(world.model.requests).toHaveLength(4);
  });

  it("is a model and limits, too", async () => {
    await open([call("note", "a"), call("note", "b")], "I got this far.");
    await makeHelper({ model: "openai-compatible/other-2", limits: { steps: 2, callsPerStep: 1 } });
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output).toMatchObject({ text: "I got this far.", limit: "steps" });
    expect(world.model.requests.map(({ model }) => model)).toEqual(["other-2", "other-2"]);
    expect(world.did).toEqual(["note a"]);
    expect(world.toolMessages()[1]).toContain("One answer may make 1 calls");
  });

  it("changes with the next turn, and not in one that waits", async () => {
    await open([call("pay", "a")], "Paid.", "Then.");
    await makeHelper({ instructions: "Be short." });
    const asked = await personAt(world.start()).invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(asked.status);
    await world.catalogue.agents.change("acme", "helper", { instructions: "Be long.", model: "nowhere/x" });
    await give("letters");
    const person = personAt(world.start());
    await person.answer(asked.approval.id, { kind: "approve" });
    const { conversation } = outputOf(await person.resume(asked.approval.id));
    expect(new Set(prefixes()).size).toBe(1);
    await world.catalogue.agents.change("acme", "helper", { model: "" });
    await person.invokeNamed("agent_run", { ...run, conversation });
    expect(promptOf(-1)).toMatch(/^Be long\.\n\n# Skills/);
  });
});

describe("skills of an agent", () => {
  it("are read with a tool that only agents with skills have", async () => {
    const read = (skill: string) => ({ name: "skill_read", input: { skill } });
    await open("None yet.", [read("letters"), read("other")], "Read.");
    await makeHelper();
    const person = personAt(world.start());
    await person.invokeNamed("agent_run", run);
    expect(toolsOf(0)).toEqual(["delegate", "note", "pay", "slow", "task_spawn", "task_status"]);
    await give("letters");
    await person.invokeNamed("agent_run", run);
    expect(toolsOf(-1)).toEqual(["delegate", "note", "pay", "skill_read", "slow", "task_spawn", "task_status"]);
    expect(world.toolMessages()).toEqual([letters.instructions, expect.stringContaining('You have no skill "other". You have: letters.')]);
    expect(person.list().map(({ name }) => name)).not.toContain("skill_read");
  });
});
