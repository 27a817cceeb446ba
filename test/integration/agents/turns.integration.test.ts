import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { call, day, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };

describe("a turn of an agent", () => {
  it("calls tools through the gate, in the name of the agent and for the person, and answers", async () => {
    await open([call("note", "a"), call("forbidden", "b")], "All noted.");
    const person = personAt(world.start());
    const output = outputOf(await person.invokeNamed("agent_run", run));
    expect(output).toMatchObject({ state: "done", text: "All noted." });
    expect(world.did).toEqual(["note a"]);
    expect(world.toolMessages()).toEqual([expect.stringContaining("note did a"), expect.stringMatching(/^Denied: /)]);
    const events = await world.events.read({ tenant: "acme", session: output.conversation });
    expect(events.map(({ event }) => [event.type, event.tool, event.actor.id, event.agent])).toContainEqual([
      "tool.completed",
      "note",
      "assistant",
      "assistant",
    ]);
  });

  it("goes on with its conversation, and offers tools that start sub-agents but none that begin turns", async () => {
    await open([call("note", "a")], "First.", "Second.");
    const person = personAt(world.start());
    const { conversation } = outputOf(await person.invokeNamed("agent_run", run));
    const second = outputOf(await person.invokeNamed("agent_run", { ...run, message: "And?", conversation }));
    expect(second).toMatchObject({ conversation, text: "Second." });
    const last = world.model.requests.at(-1);
    expect(last?.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "assistant", "user"]);
    expect(last?.tools?.map(({ function: { name } }) => name)).toEqual(["delegate", "note", "pay", "slow", "task_spawn", "task_status"]);
  });

  it("waits for a person without a process, and goes on in another one: nothing runs twice and no request is repeated", async () => {
    await open([call("note", "a", "1"), call("pay", "b", "1"), call("note", "c", "")], "Paid.");
    const first = personAt(world.start());
    const asked = await first.invokeNamed("agent_run", run);
    expect(asked.status).toBe("pending");
    expect(world.did.toSorted()).toEqual(["note a", "note c"]);
    const engine = world.start();
    const [open_] = await personAt(engine).approvals();
    expect(open_?.record.tool).toBe("pay");
    await personAt(engine).answer(open_?.record.id ?? "", { kind: "approve" });
    expect(await engine.resumeDue()).toBe(1);
    expect(world.did.toSorted()).toEqual(["note a", "note c", "pay b"]);
    expect(world.model.requests).toHaveLength(2);
    const [turn] = await world.turns.list("acme", {});
    expect(turn).toMatchObject({ state: "done", text: "Paid.", steps: 2, waitsFor: [] });
    const messages = await world.turns.messages({ tenant: "acme", conversation: turn?.conversation ?? "" });
    expect(messages.map(({ message }) => (message as { role: string }).role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });
});

describe("a turn that waited", () => {
  const approved = async () => {
    await open([call("pay", "a"), call("note", "b")], "Next.");
    const person = personAt(world.start());
    const asked = await person.invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(asked.status);
    await person.answer(asked.approval.id, { kind: "approve" });
  };

  it("is cancelled where who asked is gone: what was approved does not run, and the conversation can go on", async () => {
    await approved();
    world.standingOf = async () => ({ gone: "The API key key_1 was revoked." });
    const engine = world.start();
    expect(await engine.resumeDue()).toBe(1);
    const [turn] = await world.turns.list("acme", {});
    expect(turn).toMatchObject({ state: "cancelled", cancelReason: "The API key key_1 was revoked." });
    expect(world.did).toEqual(["note b"]);
    const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation });
    expect(outputOf(next).text).toBe("Next.");
  });

  it("goes on with what is left of the rights of who asked", async () => {
    await approved();
    world.standingOf = async (principal) => ({ principal: { ...principal, permissions: [] } });
    expect(await world.start().resumeDue()).toBe(1);
    expect((await world.turns.list("acme", {}))[0]).toMatchObject({ state: "done", text: "Next." });
    expect(world.model.requests.map(({ tools }) => tools?.map(({ function: { name } }) => name))).toEqual([
      ["delegate", "note", "pay", "slow", "task_spawn", "task_status"],
      ["note", "pay", "slow"],
    ]);
  });
});

describe("an approval that a turn waits for", () => {
  it("answered and resumed at the door that ran the agent, goes on with the turn and gives its answer", async () => {
    await open([call("pay", "a"), call("pay", "b")], "Both paid.");
    const person = personAt(world.start());
    const asked = await person.invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(asked.status);
    await person.answer(asked.approval.id, { kind: "approve" });
    const second = await person.resume(asked.approval.id);
    if (second.status !== "pending") throw new Error(JSON.stringify(second));
    expect(second.callId).toBe(asked.callId);
    expect(second.approval.id).not.toBe(asked.approval.id);
    await person.answer(second.approval.id, { kind: "deny", message: "Not b." });
    expect(outputOf(await person.resume(second.approval.id)).text).toBe("Both paid.");
    expect(world.did).toEqual(["pay a"]);
    expect(world.toolMessages()).toEqual([expect.stringContaining("pay did a"), expect.stringContaining("Not b.")]);
  });

  it("for days asks nobody anew, and runs nothing anew that has ended meanwhile", async () => {
    await open([call("pay", "a"), call("pay", "b")], "Both paid.");
    const person = personAt(world.start({ approvalTtlMs: 7 * day }));
    await person.invokeNamed("agent_run", run);
    for (const what of ["a", "b"]) {
      await world.clock.advance(3 * day);
      const [waiting] = await person.approvals();
      expect(waiting?.record.input).toEqual({ text: what });
      await person.answer(waiting?.record.id ?? "", { kind: "approve" });
      await person.resume(waiting?.record.id ?? "");
    }
    expect(world.did).toEqual(["pay a", "pay b"]);
    expect((await world.turns.list("acme", {})).at(0)).toMatchObject({ state: "done", text: "Both paid." });
  });

  it("that expires is a denial", async () => {
    await open([call("pay", "a")], "Nobody answered.");
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    await world.clock.advance(day + 1);
    expect(await engine.resumeDue()).toBe(1);
    expect(world.did).toEqual([]);
    expect((await world.turns.list("acme", {})).at(0)).toMatchObject({ state: "done", text: "Nobody answered." });
  });

  it("remembered for the agent asks no more", async () => {
    await open([call("pay", "a")], "One.", [call("pay", "a")], "Two.");
    const engine = world.start();
    const person = personAt(engine);
    const asked = await person.invokeNamed("agent_run", run);
    if (asked.status !== "pending") throw new Error(asked.status);
    await person.answer(asked.approval.id, { kind: "approve", remember: { scope: "agent" } });
    const { conversation } = outputOf(await person.resume(asked.approval.id));
    expect(outputOf(await person.invokeNamed("agent_run", { ...run, conversation })).text).toBe("Two.");
    expect(world.did).toEqual(["pay a", "pay a"]);
  });
});
