import { findBrokenLink } from "@toolwright/engine/ports";
import { afterEach, describe, expect, it } from "vitest";
import { call, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
afterEach(() => world.close());

const canary = "canary-7f3a";

/** What the log of the conversation holds of the agent, each by its fact and what matters of it. */
async function factsOf(conversation: string) {
  const stored = await world.events.read({ tenant: "acme", session: conversation });
  expect(findBrokenLink(stored)).toBeUndefined();
  return stored.map(({ event }) => event).filter(({ type }) => type.startsWith("agent."));
}

describe("the log of a conversation", () => {
  it("holds what happened in its turns in order, by digests and without texts", async () => {
    world = await World.open([[call("pay", canary)], `Paid ${canary}.`]);
    const engine = world.start();
    const person = personAt(engine);
    const asked = await person.invokeNamed("agent_run", { agent: "assistant", message: `Pay ${canary}.` });
    if (asked.status !== "pending") throw new Error(asked.status);
    await person.answer(asked.approval.id, { kind: "approve" });
    const { conversation, turn } = outputOf(await person.resume(asked.approval.id));
    const facts = await factsOf(conversation);
    expect(facts.map(({ type, actor, data }) => [type, actor.id, data.turn === turn])).toEqual([
      ["agent.message", "ann", true],
      ["agent.step", "assistant", true],
      ["agent.waiting", "assistant", true],
      ["agent.resumed", "assistant", true],
      ["agent.step", "assistant", true],
      ["agent.ended", "assistant", true],
    ]);
    const [, step, waiting, , , ended] = facts;
    expect(step?.data).toMatchObject({ step: 1, calls: 1, model: "openai-compatible/scripted-1", usage: { inputTokens: 1 } });
    expect(waiting?.data.approvals).toEqual([asked.approval.id]);
    expect(ended?.data).toMatchObject({ state: "done", usage: { outputTokens: 2 } });
    expect(JSON.stringify(facts)).not.toContain(canary);
  });

  it("says which limit ended a turn", async () => {
    world = await World.open(Array.from({ length: 6 }, () => [call("note", "a")]));
    const { conversation } = outputOf(await personAt(world.start()).invokeNamed("agent_run", { agent: "assistant", message: "Go." }));
    const facts = await factsOf(conversation);
    expect(facts.slice(-2).map(({ type, data }) => [type, data.limit ?? data.state])).toEqual([
      ["agent.limited", "repeats"],
      ["agent.ended", "done"],
    ]);
  });
});
