import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ScriptedAnswerTo } from "../../../examples/scripted-server.ts";
import { call, outputOf, personAt, World } from "./agents-world.ts";
import { chat, messages, type Wire } from "./wires.ts";

let close = async () => {};
afterEach(() => close());

const run = { agent: "assistant", message: "Go." };

async function open<Request>(wire: Wire<Request>, ...script: readonly ScriptedAnswerTo<Request>[]) {
  const world = await World.openWith(wire, script);
  close = () => world.close();
  return world;
}

/** A turn begins at one process and waits; at another one it is approved, and goes on. */
async function approveLater<Request>(
  world: World<Request>,
  before: Parameters<World["start"]>[0],
  { change, after }: { readonly change?: () => Promise<unknown>; readonly after?: Parameters<World["start"]>[0] },
) {
  const asked = await personAt(world.start(before)).invokeNamed("agent_run", run);
  expect(asked.status).toBe("pending");
  await change?.();
  const engine = world.start(after);
  const [approval] = await personAt(engine).approvals();
  await personAt(engine).answer(approval?.record.id ?? "", { kind: "approve" });
  await engine.resumeDue();
  const [turn] = await world.turns.list("acme", {});
  const next = async () => outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation })).text;
  return { turn, next };
}

describe("while a turn waits for a person", () => {
  it("the policy may come to deny the call: it does not run, and the agent reads why", async () => {
    const world = await open(chat, [call("pay", "a")], "Not paid.", "Next.");
    const { turn, next } = await approveLater(world, {}, { after: { denied: ["pay"] } });
    expect(turn).toMatchObject({ state: "done", text: "Not paid." });
    expect(world.did).toEqual([]);
    expect(world.toolMessages()).toEqual([expect.stringMatching(/denied|void/i)]);
    expect(await next()).toBe("Next.");
  });

  const wire = (description: string) =>
    defineTool({
      ...{ name: "wire", description, input: z.object({ text: z.string() }), output: z.object({}), effects: { destructive: true } },
      approval: "always_ask",
      run: () => ({}),
    });
  it.each([
    ["change", [wire("Wires twice as much.")], /changed/],
    ["go away", [], /no tool named|is gone/],
  ])("the tool may %s: the call does not run, and the agent reads why", async (_, tools, words) => {
    const world = await open(chat, [call("wire", "a")], "Not wired.", "Next.");
    const { turn, next } = await approveLater(world, { tools: [wire("Wires money.")] }, { after: { tools } });
    expect(turn).toMatchObject({ state: "done", text: "Not wired." });
    expect(world.toolMessages()).toEqual([expect.stringMatching(words)]);
    expect(await next()).toBe("Next.");
  });

  const key = { tenant: "acme", name: "anthropic_api_key" };
  it("the key of its model may change: it goes on with the new one", async () => {
    const world = await open(messages, [call("pay", "a")], "Paid.", "Next.");
    const { turn, next } = await approveLater(world, {}, { change: () => world.secrets.set(key, "sk-canary-new") });
    expect(turn).toMatchObject({ state: "done", text: "Paid." });
    expect(world.model.headers.map((headers) => headers["x-api-key"])).toEqual([messages.key, "sk-canary-new"]);
    expect(await next()).toBe("Next.");
  });

  it("the key of its model may go away: it fails with the secret that is missing, and the next message goes on", async () => {
    const world = await open(messages, [call("pay", "a")], "Next.");
    const { turn, next } = await approveLater(world, {}, { change: () => world.secrets.remove(key) });
    expect(turn).toMatchObject({
      state: "failed",
      error: { code: "model_unavailable", message: expect.stringContaining("Set the secret anthropic_api_key") },
    });
    await world.secrets.set(key, messages.key);
    expect(await next()).toBe("Next.");
    expect(world.model.requests).toHaveLength(2);
  });
});

describe("instructions of a megabyte", () => {
  it("are refused with a code and a sentence", async () => {
    const world = await open(chat);
    const agent = { agent: "long", name: "Long", features: {}, restricted: false, acceptsAgents: false };
    await expect(world.catalogue.agents.create("acme", { ...agent, instructions: "x".repeat(1_000_000) })).rejects.toMatchObject({
      code: "catalogue_refused",
      message: expect.stringContaining("1000000 characters, and at most 100000 are kept"),
    });
  });
});
