import { type CallResult, defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, day, outputOf, personAt, World } from "./agents-world.ts";

const given = "hunter2-Vm9yZ2V0";
const made = "generated-8f3k2j";
const secret = () => z.string().meta({ sensitive: true });
const received: string[] = [];
const vault = defineTool({
  name: "vault",
  description: "Keeps a password.",
  input: z.object({ user: z.string(), password: secret() }),
  output: z.object({ user: z.string(), token: secret() }),
  run: ({ user, password }) => {
    received.push(password);
    return { user, token: made };
  },
});
const vaultAsked = defineTool({ ...vault, name: "vault_asked", approval: "always_ask" });

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const make = (name: string) => ({ name, input: { user: "ann", password: given } });
const run = { agent: "assistant", message: "Go." };
const start = () => world.start({ tools: [vault, vaultAsked] });

/** All that is kept of turns, and what people see of them. */
async function keptOf(conversation: string): Promise<string> {
  const messages = await world.turns.messages({ tenant: "acme", conversation });
  const listed = await start().operate(ann, "messages.list", { conversation });
  const turns = await world.turns.list("acme", {});
  const shown = await Promise.all(turns.map(({ id }) => start().operate(ann, "turns.watch", { id })));
  const events = await world.events.read({ tenant: "acme", session: conversation });
  return JSON.stringify([messages, listed, turns, shown, events, world.log]);
}

function expectNoTrace(text: string) {
  expect(text).not.toContain(given);
  expect(text).not.toContain(made);
}

describe("sensitive members of calls that agents make (R-SM-1)", () => {
  it("reach the tool and the model, and what is kept of the conversation holds their lengths", async () => {
    await open([make("vault")], "Done.", "And done.");
    const { conversation } = outputOf(await personAt(start()).invokeNamed("agent_run", run));
    expect(received.at(-1)).toBe(given);
    expect(JSON.stringify(world.model.requests[1]?.messages)).toContain(made);
    await personAt(start()).invokeNamed("agent_run", { ...run, conversation });
    expect(JSON.stringify(world.model.requests[2]?.messages)).toContain(made);
    expect(JSON.stringify(world.model.requests[2]?.messages)).toContain(given);
    const kept = await keptOf(conversation);
    expectNoTrace(kept);
    expect(kept).toContain("[sensitive, 16 characters]");
    expect(JSON.stringify(await start().operate(ann, "messages.list", { conversation }))).not.toContain("sealed");
  });

  it("are sealed while the turn waits for a person, and the call runs with them in another process", async () => {
    await open([make("vault"), make("vault_asked")], "Done.");
    const asked = (await personAt(start()).invokeNamed("agent_run", run)) as Extract<CallResult, { status: "pending" }>;
    expect(asked.status).toBe("pending");
    const [{ conversation = "" } = {}] = await world.turns.list("acme", {});
    expectNoTrace(await keptOf(conversation));
    const calls = received.length;
    const person = personAt(start());
    await person.answer(asked.approval.id, { kind: "approve" });
    expect(outputOf(await person.resume(asked.approval.id))).toMatchObject({ text: "Done." });
    expect(received.slice(calls)).toEqual([given]);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).toContain(made);
    expectNoTrace(await keptOf(conversation));
  });

  it("leave other calls of the conversation as they are", async () => {
    await open([call("note", "a"), make("vault")], "Done.");
    const { conversation } = outputOf(await personAt(start()).invokeNamed("agent_run", run));
    expect(await keptOf(conversation)).toContain("note did a");
    await world.clock.advance(day);
  });
});
