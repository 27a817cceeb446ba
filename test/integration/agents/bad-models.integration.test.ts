import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { type ScriptedAnswer, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { beginAnswer, outputOf, personAt, World } from "./agents-world.ts";

let world: World;
const closing: (() => Promise<void>)[] = [];
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  closing.push(() => world.close());
  return world;
};
afterEach(async () => void (await Promise.all(closing.splice(0).map((close) => close()))));

const run = { agent: "assistant", message: "Go." };
const turnOf = async () => (await world.turns.list("acme", {})).at(0);

/** The conversation goes on with the next message, whatever came of the one before. */
async function expectNext(engine = world.start()): Promise<void> {
  const { conversation } = (await turnOf()) ?? {};
  expect(outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation })).text).toBe("Well again.");
}

/** Time passes until the client leaves. */
async function stall(outgoing: ServerResponse): Promise<void> {
  while (!outgoing.destroyed) {
    await world.clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const half = (outgoing: ServerResponse) => beginAnswer(outgoing, "Half", () => void stall(outgoing));
const page = (outgoing: ServerResponse) => outgoing.writeHead(200, { "content-type": "text/html" }).end("<h1>It works!</h1>");

describe("a model server that misbehaves", () => {
  it.each([
    ["does not answer", stall],
    ["stops in the middle of its answer", half],
  ])("and %s is asked again, and in the end given up", async (_, answer) => {
    await open(answer, "Well again.", ...Array(4).fill(answer), "Well again.");
    const engine = world.start();
    expect(outputOf(await world.patiently(personAt(engine).invokeNamed("agent_run", run))).text).toBe("Well again.");
    const { conversation } = (await turnOf()) ?? {};
    const result = await world.patiently(personAt(engine).invokeNamed("agent_run", { ...run, conversation }));
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("gave no whole answer") } });
    expect(world.model.requests).toHaveLength(6);
    await expectNext(engine);
  });

  it("and ends each answer with an error that nobody knows is given up after the third", async () => {
    const error = `data: ${JSON.stringify({ error: { message: "Something is odd.", type: "odd_error" } })}\n\n`;
    await open(...Array(3).fill((outgoing: ServerResponse) => beginAnswer(outgoing, "Half", () => outgoing.end(error))), "Well again.");
    const engine = world.start();
    const result = await world.patiently(personAt(engine).invokeNamed("agent_run", run));
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("gave no whole answer") } });
    expect(world.model.requests).toHaveLength(3);
    await expectNext(engine);
  });

  it("and goes on and on is cut off, and nothing of it is kept", async () => {
    const left = Promise.withResolvers<void>();
    await open((outgoing) => {
      outgoing.on("close", () => left.resolve());
      beginAnswer(outgoing, "", () => {});
      const choices = [{ index: 0, delta: { content: "on and ".repeat(20_000) } }];
      const more = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices })}\n\n`;
      const write = () => {
        while (!outgoing.destroyed && outgoing.write(more));
      };
      outgoing.on("drain", write);
      write();
    }, "Well again.");
    const result = await world.patiently(personAt(world.start()).invokeNamed("agent_run", run));
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("did not come to an end") } });
    await left.promise;
    const turn = await turnOf();
    expect(turn).toMatchObject({ state: "failed", text: "", error: { details: { failure: "endless" } } });
    expect(await world.turns.messages({ tenant: "acme", conversation: turn?.conversation ?? "" })).toHaveLength(1);
    await expectNext();
  });

  it("and speaks another protocol is given up, and nothing of what it says is kept", async () => {
    await open(...Array(20).fill(page));
    const result = await world.patiently(personAt(world.start()).invokeNamed("agent_run", run));
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("is no model server") } });
    expect(world.model.requests).toHaveLength(1);
    expect(JSON.stringify([result, await turnOf()])).not.toContain("It works!");
  });

  it("and is not there is given up", async () => {
    await open();
    await world.model.close();
    const result = await world.patiently(personAt(world.start()).invokeNamed("agent_run", run));
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("Check that its server runs") } });
  });
});

describe("a server that a tenant names", () => {
  const name = { tenant: "acme", name: "openai_compatible_url" };
  const openOwn = async () => {
    const own = await serveScriptedModel(["Own."]);
    closing.push(() => own.close());
    await open("Well again.");
    await world.secrets.set(name, own.url);
    return own;
  };

  it("on this machine is refused, and the conversation goes on without it", async () => {
    const own = await openOwn();
    const engine = world.start();
    const result = await personAt(engine).invokeNamed("agent_run", run);
    expect(result).toMatchObject({ status: "failed", error: { toolCode: "url_refused" } });
    expect(own.requests).toEqual([]);
    await world.secrets.set(name, "models.example.org");
    const unread = await personAt(engine).invokeNamed("agent_run", run);
    expect(unread).toMatchObject({ status: "failed", error: { message: expect.stringContaining("address is no URL") } });
    await world.secrets.remove(name);
    await expectNext(engine);
  });

  it("answers where the policy opens it, and gets no key of the operator", async () => {
    const own = await openOwn();
    const result = await personAt(world.start({ opened: own.url })).invokeNamed("agent_run", run);
    expect(outputOf(result).text).toBe("Own.");
    expect(JSON.stringify(own.headers)).not.toContain("canary");
    expect(world.model.requests).toEqual([]);
  });
});
