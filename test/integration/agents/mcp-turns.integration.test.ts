import { createMcpDoor, openAccess } from "@toolwright/doors/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { connect, eras, textOf } from "../../../packages/doors/test/mcp-client.ts";
import { ann, call, World } from "./agents-world.ts";

let close = async () => {};
afterEach(() => close());

/** A client that has an agent answer, and whose person answers the form. */
async function ask(mode: (typeof eras)[number]["mode"], answer: object) {
  const world = await World.open([[call("pay", "a"), call("note", "b")], "Paid."]);
  const { interactive: _, ...principal } = ann;
  const engine = world.start();
  const door = createMcpDoor({
    engine,
    serverInfo: { name: "test", version: "1.0.0" },
    authentication: openAccess({ ...principal, door: "mcp" }),
  });
  close = async () => void (await Promise.all([door.close(), engine.close(), world.close()]));
  const client = await connect(door, {
    mode,
    client: { capabilities: { elicitation: { form: {} } } },
    prepare: (made) => made.setRequestHandler("elicitation/create", async () => answer as never),
  });
  const result = await client.callTool({ name: "agent_run", arguments: { agent: "assistant", message: "Pay." } });
  return { world, engine, said: textOf(result as never) };
}

describe.each(eras)("an agent that a client runs, $era", ({ mode }) => {
  it("asks in the client, and goes on with what its person says", async () => {
    const { world, said } = await ask(mode, { action: "accept", content: { decision: "approve" } });
    expect(said).toContain("Paid.");
    expect(world.did).toEqual(["note b", "pay a"]);
  });

  it("waits on where nobody answers, and the log says who did not", async () => {
    const { world, engine, said } = await ask(mode, { action: "decline" });
    expect(said).toContain("No person answered: client test-client 1.0.0 declined the form");
    const [turn] = await world.turns.list("acme", {});
    expect(turn?.state).toBe("waiting");
    const events = await world.events.read({ tenant: "acme", session: turn?.conversation ?? "" });
    expect(JSON.stringify(events)).toContain("not answered by client test-client");
    const person = engine.scope(ann, { session: "inbox" });
    const [waiting] = await person.approvals();
    await person.answer(waiting?.record.id ?? "", { kind: "approve" });
    expect(await engine.resumeDue()).toBe(1);
    expect(world.did).toEqual(["note b", "pay a"]);
  });
});
