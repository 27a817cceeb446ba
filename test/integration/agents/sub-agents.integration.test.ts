import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const spawn = (task: string, more: { readonly tools?: readonly string[] } = {}) => ({ name: "task_spawn", input: { task, ...more } });
/** The turn that a person began, and those of its sub-agents. */
async function turns() {
  const all = await world.turns.list("acme", {});
  const root = all.find(({ parent }) => parent === undefined);
  return { root, children: all.filter(({ parent }) => parent !== undefined && parent === root?.id) };
}
/** What people see of the turn that a person began. */
const shown = async () => JSON.stringify(await world.stream.read({ tenant: "acme", id: (await turns()).root?.id ?? "" }, 0));
/** The chunk by which they find what its sub-agent does. */
const namesChild = async () => `{"type":"data-sub-agent","id":"${(await turns()).children[0]?.id}"`;
const toolsOf = (request: number) => world.model.requests[request]?.tools?.map(({ function: { name } }) => name);

/** Moves time on until the promise is settled. */
async function passing<Value>(promise: Promise<Value>): Promise<Value> {
  let isOver = false;
  const settled = promise.finally(() => {
    isOver = true;
  });
  for (let round = 0; round < 5_000 && !isOver; round += 1) await world.clock.advance(100);
  return settled;
}

describe("a sub-agent", () => {
  it("works with its parent's tools and messages of its own, and its answer is the result", async () => {
    await open([spawn("Note a.")], [call("note", "a")], "Noted it.", "All done.");
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output.text).toBe("All done.");
    expect(world.toolMessages()).toEqual([expect.stringContaining("Noted it.")]);
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "Note a." });
    expect(toolsOf(1)).toEqual(["note", "pay", "slow"]);
    const { root, children } = await turns();
    expect(children).toMatchObject([{ state: "done", text: "Noted it.", owner: "ann", agent: "assistant" }]);
    expect(children[0]?.conversation).not.toBe(root?.conversation);
    // In the session of its parent: their workspace is one.
    const events = await world.events.read({ tenant: "acme", session: output.conversation });
    expect(events.filter(({ event }) => event.tool === "note").map(({ event }) => event.type)).toEqual(["tool.started", "tool.completed"]);
  });

  it("has only the tools that it is given, and starts no sub-agents", async () => {
    await open([spawn("Note a.", { tools: ["note", "task_spawn"] })], [call("pay", "a"), spawn("Again.")], "I could not.", "So be it.");
    await personAt(world.start()).invokeNamed("agent_run", run);
    expect(toolsOf(1)).toEqual(["note"]);
    const results = world.model.requests[2]?.messages.filter(({ role }) => role === "tool");
    expect(results?.map(({ content }) => content)).toEqual([
      expect.stringMatching(/outside of what this sub-agent may reach/),
      expect.stringMatching(/no tool named/),
    ]);
    expect([world.did, (await turns()).children.length]).toEqual([[], 1]);
  });

  it("is refused with tools that its parent does not have, by their names", async () => {
    await open([spawn("Note a.", { tools: ["note", "group:agents", "nothing", "agent_run", "__proto__", "group:none"] })], "So be it.");
    expect(outputOf(await personAt(world.start()).invokeNamed("agent_run", run)).text).toBe("So be it.");
    expect(world.toolMessages()).toEqual([expect.stringContaining('You have no "nothing", "agent_run", "__proto__", "group:none".')]);
    expect((await turns()).children).toEqual([]);
  });

  it("is shown in its parent's call while it speaks", async () => {
    await open([spawn("Look.")], [{ text: "Looking around." }, call("slow", "a")], "Seen.", "Done.");
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    await world.clock.advance(1_000);
    expect(await shown()).toContain("Looking around.");
    expect(await shown()).toContain(await namesChild());
    world.endSlow();
    expect(outputOf(await running).text).toBe("Done.");
  });

  it("keeps its parent's call alive, whatever it does", async () => {
    await open([spawn("Wait.")], ...["a", "b", "c"].map((text) => [call("slow", text)]), "Seen.", "Done.");
    world.onSlow = () => void world.clock.advance(110_000).then(() => world.endSlow());
    expect(outputOf(await personAt(world.start()).invokeNamed("agent_run", run)).text).toBe("Done.");
  });

  it("is one of eight in a turn, and the ninth is refused", async () => {
    await open(
      Array.from({ length: 9 }, (_, index) => spawn(`Task ${index}.`)),
      ...Array.from({ length: 8 }, () => "Done."),
      "Enough.",
    );
    expect(outputOf(await personAt(world.start()).invokeNamed("agent_run", run)).text).toBe("Enough.");
    expect(world.toolMessages().filter((text) => String(text).includes("begun 8 sub-agents"))).toHaveLength(1);
    expect((await turns()).children).toHaveLength(8);
  });

  it("spends the budget of its parent, which then has no room left", async () => {
    const usage = { input: 60_000, cached: 0, written: 0, output: 1_000 };
    world = await World.open([[spawn("Note a.")], [call("note", "a")], "I got this far."], { usage });
    const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    expect(output.limit).toBe("tokens");
    expect((await turns()).children).toMatchObject([{ text: "I got this far.", limit: "tokens" }]);
    expect(world.model.requests).toHaveLength(3);
  });
});

describe("an approval that a sub-agent waits for", () => {
  const script: ScriptedAnswer[] = [[spawn("Pay a.")], [call("pay", "a")], "Paid it.", "All paid."];

  it("has its parent wait without a process, and both go on in another one", async () => {
    await open(...script);
    expect((await personAt(world.start()).invokeNamed("agent_run", run)).status).toBe("pending");
    const waiting = await turns();
    expect([waiting.root?.state, waiting.children[0]?.state]).toEqual(["waiting", "waiting"]);
    expect(await shown()).toContain(await namesChild());
    const engine = world.start();
    const [asked] = await personAt(engine).approvals();
    expect(asked?.record).toMatchObject({ tool: "pay", principal: { actor: { id: "assistant" }, runtime: "sub_agent" } });
    await personAt(engine).answer(asked?.record.id ?? "", { kind: "approve" });
    await passing(engine.resumeDue());
    const { root, children } = await turns();
    expect([root?.text, children[0]?.text]).toEqual(["All paid.", "Paid it."]);
    expect(world.did).toEqual(["pay a"]);
    expect(world.model.requests).toHaveLength(4);
  });

  it("is resumed at the door that ran its parent", async () => {
    await open(...script);
    const person = personAt(world.start());
    const asked = await person.invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(asked.status);
    await person.answer(asked.approval.id, { kind: "approve" });
    expect(outputOf(await passing(person.resume(asked.approval.id))).text).toBe("All paid.");
    expect(world.did).toEqual(["pay a"]);
  });

  it("is denied when somebody stops its parent, and neither asks its model again", async () => {
    await open(...script);
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    const { root } = await turns();
    await engine.operate(ann, "turns.cancel", { id: root?.id ?? "", reason: "Not today." });
    expect(await personAt(engine).approvals()).toEqual([]);
    await passing(engine.resumeDue());
    const ended = await turns();
    expect([ended.root?.state, ended.children[0]?.state]).toEqual(["cancelled", "cancelled"]);
    expect(world.did).toEqual([]);
    expect(world.model.requests).toHaveLength(2);
  });
});

describe("a sub-agent that works when its parent is stopped", () => {
  it("stops with it, with the tool that it runs", async () => {
    await open([spawn("Wait.")], [call("slow", "a")]);
    const engine = world.start();
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(engine).invokeNamed("agent_run", run);
    await slow;
    await engine.operate(ann, "turns.cancel", { id: (await turns()).root?.id ?? "" });
    expect(outputOf(await running).state).toBe("cancelled");
    expect((await turns()).children).toMatchObject([{ state: "cancelled" }]);
    expect(world.model.requests).toHaveLength(2);
  });
});

const make = (agent: string, acceptsAgents: boolean) =>
  world.catalogue.agents.create("acme", { agent, name: agent, features: {}, restricted: false, acceptsAgents });

describe("delegate", () => {
  it("has another agent work that accepts agents, and no other", async () => {
    const to = (agent: string) => ({ name: "delegate", input: { agent, task: "Note a." } });
    await open([to("reviewer"), to("loner"), to("nobody")], [call("note", "a")], "Reviewed.", "Done.");
    for (const [agent, accepts] of [
      ["boss", false],
      ["reviewer", true],
      ["loner", false],
    ] as const)
      await make(agent, accepts);
    const { conversation } = outputOf(await personAt(world.start()).invokeNamed("agent_run", { ...run, agent: "boss" }));
    expect(world.toolMessages()).toEqual([
      expect.stringContaining("Reviewed."),
      expect.stringContaining("accepts no other agents"),
      expect.stringContaining("no agent"),
    ]);
    const events = await world.events.read({ tenant: "acme", session: conversation });
    expect(events.find(({ event }) => event.tool === "note")?.event).toMatchObject({ agent: "reviewer", actor: { id: "reviewer" } });
  });

  it("refuses an agent that would give the work to itself", async () => {
    await open([{ name: "delegate", input: { agent: "boss", task: "Do it." } }], "I do it.");
    await make("boss", true);
    await personAt(world.start()).invokeNamed("agent_run", { ...run, agent: "boss" });
    expect(world.toolMessages()).toEqual([expect.stringContaining("You are the agent boss yourself")]);
  });

  it("has that agent go by its own instructions, skills and limits, with what both have and no more", async () => {
    const task = { name: "delegate", input: { agent: "reviewer", task: "Review." } };
    await open([task], [call("pay", "a"), call("note", "a")], [{ name: "skill_read", input: { skill: "tone" } }], "Reviewed.", "Done.");
    await make("boss", false);
    await make("reviewer", true);
    const { agents, enablement, skills } = world.catalogue;
    await agents.change("acme", "reviewer", { instructions: "Be strict.", limits: { callsPerStep: 1 } });
    await skills.create("acme", { skill: "tone", title: "Tone", instructions: "Be kind.", tools: [] });
    await skills.setForAgent({ tenant: "acme", agent: "reviewer", skill: "tone" }, true);
    await enablement.setForAgent({ tenant: "acme", agent: "boss" }, ["pay"], false);
    await personAt(world.start()).invokeNamed("agent_run", { ...run, agent: "boss" });
    expect(world.model.requests[1]?.messages[0]?.content).toMatch(/^Be strict\.\n\n# Skills/);
    expect(toolsOf(1)).toEqual(["note", "skill_read", "slow"]);
    const results = world.model.requests[3]?.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toEqual([expect.stringContaining("no tool named"), expect.stringContaining("may make 1 calls"), "Be kind."]);
    expect(world.did).toEqual([]);
  });
});

describe("an agent that is a tool", () => {
  const ask = (agent: string, task: string) => ({ name: `agent_${agent}`, input: { task } });
  const enable = (agent: string, ...tools: string[]) => world.catalogue.enablement.setForAgent({ tenant: "acme", agent }, tools, true);
  const longest = "x".repeat(57);

  it("is one of those whose rows enable it, where it accepts agents, and does the work", async () => {
    await open([ask("reviewer", "Note a.")], [call("note", "a")], "Reviewed.", "Done.");
    const agents = ["boss", "reviewer", "loner", "writer", longest, `${longest}x`];
    for (const agent of agents) await make(agent, agent !== "loner");
    await enable("boss", ...agents.filter((agent) => agent !== "writer").map((agent) => `agent_${agent}`));
    const person = personAt(world.start());
    const { conversation } = outputOf(await person.invokeNamed("agent_run", { ...run, agent: "boss" }));
    expect(toolsOf(0)?.filter((name) => name.startsWith("agent_"))).toEqual(["agent_boss", "agent_reviewer", `agent_${longest}`]);
    expect(world.toolMessages()).toEqual(["Reviewed."]);
    const events = await world.events.read({ tenant: "acme", session: conversation });
    expect(events.find(({ event }) => event.tool === "note")?.event).toMatchObject({ actor: { id: "reviewer" } });
    expect(person.list().map(({ name }) => name)).not.toContain("agent_reviewer");
  });

  it("calls no other one back: a circle of agents ends with the first", async () => {
    await open([ask("reviewer", "Review.")], [ask("boss", "Help me.")], "Alone.", "Done.");
    await make("boss", true);
    await make("reviewer", true);
    await enable("boss", "agent_reviewer");
    await enable("reviewer", "agent_boss");
    await personAt(world.start()).invokeNamed("agent_run", { ...run, agent: "boss" });
    expect(toolsOf(1)).toEqual(["note", "pay", "slow"]);
    const [refused] = (world.model.requests[2]?.messages ?? []).filter(({ role }) => role === "tool");
    expect(refused?.content).toMatch(/agent_boss/);
    expect((await turns()).children).toHaveLength(1);
  });
});
