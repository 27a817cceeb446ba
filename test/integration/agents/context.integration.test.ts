import type { ServerResponse } from "node:http";
import { resumeLostTurns } from "@toolwright/agents";
import { defineTool } from "@toolwright/engine";
import { silentLogger } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ScriptedAnswerTo, sendJson } from "../../../examples/scripted-server.ts";
import { beginAnswer, endOfAnswer, outputOf, personAt, World } from "./agents-world.ts";
import { chat, messages, type Wire } from "./wires.ts";

let close = async () => {};
afterEach(() => close());

/** 2,500 tokens, by a length of four for each. */
const pageOf = (text: string) => `${text}: ${"word ".repeat(2_000)}`;
const book = defineTool({
  ...{ name: "book", description: "Gives a long page.", input: z.object({ page: z.string().describe("Which") }), effects: {} },
  output: z.object({ text: z.string() }),
  toModel: ({ text }) => [{ type: "text", text }],
  run: ({ page }) => ({ text: pageOf(page) }),
});
const read = (page: string) => [{ name: "book", input: { page } }];
const run = { agent: "reader", message: "Go." };

/** An agent `reader`, at a server that counts no tokens. */
async function open<Request>(wire: Wire<Request>, script: readonly ScriptedAnswerTo<Request>[], window?: number) {
  const world = await World.openWith(wire, script, { usage: null });
  close = () => world.close();
  const facts = { agent: "reader", name: "Reader", features: {}, restricted: false, acceptsAgents: false };
  await world.catalogue.agents.create("acme", { ...facts, limits: { tokens: 1_000_000, ...(window !== undefined && { window }) } });
  return world;
}

const start = <Request>(world: World<Request>, options = {}) => world.start({ tools: [book], ...options });
const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

/** What the log of the conversation says of its shortening. */
async function compacted<Request>(world: World<Request>, conversation: string) {
  const stored = await world.events.read({ tenant: "acme", session: conversation });
  return stored.map(({ event }) => event).filter(({ type }) => type === "agent.compacted");
}

function expectPrefix<Request>({ prefixOf }: Wire<Request>, one: Request | undefined, next: Request | undefined): void {
  const before = json(prefixOf(one as Request));
  expect(json(prefixOf(next as Request)).slice(0, before.length)).toEqual(before);
}

function describeWire<Request>(wire: Wire<Request>): void {
  describe(`a conversation that fills the window, over ${wire.name}`, () => {
    const pages = ["one", "two", "three", "four", "five", "six"];

    it("goes on with lines in the place of old large results, which are artifacts, and begins the same after a restart", async () => {
      const world = await open(wire, [...pages.map(read), "Read.", "And more."], 18_100);
      const { conversation, text } = outputOf(await personAt(start(world)).invokeNamed("agent_run", run));
      expect(text).toBe("Read.");
      const { requests } = world.model;
      expect(requests).toHaveLength(7);
      const last = JSON.stringify(wire.prefixOf(requests.at(-1) as Request));
      const whole = pages.filter((page) => last.includes(pageOf(page)));
      expect(whole).toEqual(pages.slice(-whole.length));
      expect(whole.length).toBeGreaterThanOrEqual(3);
      expect(whole.length).toBeLessThan(6);
      const ids = [...last.matchAll(/kept as artifact (art_[\w-]+)/g)].map(([, id = ""]) => id);
      expect(ids).toHaveLength(6 - whole.length);
      const kept = await Promise.all(ids.map(async (id) => new TextDecoder().decode((await world.artifacts.read("acme", id)).bytes)));
      expect(kept).toEqual(pages.slice(0, ids.length).map(pageOf));
      expect(await world.artifacts.list("acme", conversation)).toHaveLength(ids.length);
      const stored = JSON.stringify(await world.turns.messages({ tenant: "acme", conversation }));
      for (const page of pages) expect(stored).toContain(pageOf(page));
      expect((await compacted(world, conversation)).flatMap(({ data }) => data.artifacts)).toEqual(ids);
      await personAt(start(world)).invokeNamed("agent_run", { ...run, conversation });
      expectPrefix(wire, requests.at(-2), requests.at(-1));
    });

    it("is shortened once more and asked again where the provider says that it is too long", async () => {
      const refuse =
        ({ status, body }: (typeof wire)["refusals"]["context"]) =>
        (outgoing: ServerResponse) =>
          sendJson(outgoing, { status, body: body("") });
      const tooLong = refuse(wire.refusals.context);
      const world = await open(wire, [...pages.slice(0, 4).map(read), tooLong, "One was read.", "Read.", "More."], 1_000_000);
      const { conversation, text } = outputOf(await personAt(start(world)).invokeNamed("agent_run", run));
      expect(text).toBe("Read.");
      const { requests } = world.model;
      expect(requests).toHaveLength(7);
      const [summing, sent] = requests.slice(-2) as [Request, Request];
      expect(wire.toolsOf(summing)).toEqual([]);
      expect(JSON.stringify(summing)).toContain("book gives: [The result is kept as artifact");
      expect(wire.toolsOf(sent)).toContain("book");
      const words = JSON.stringify(wire.prefixOf(sent));
      expect(words).toMatch(/This is a summary of it.*One was read\..*Go\./);
      expect(words).not.toContain(pageOf("one"));
      for (const page of pages.slice(1, 4)) expect(words).toContain(pageOf(page));
      const events = await compacted(world, conversation);
      expect(events.map(({ data }) => [data.results, data.messages])).toEqual([
        [1, undefined],
        [undefined, 3],
      ]);
      expect(JSON.stringify(events)).not.toContain("One was read");
      await personAt(start(world)).invokeNamed("agent_run", { ...run, conversation });
      expectPrefix(wire, requests.at(-2), requests.at(-1));
    });

    it("fails with a sentence where the shorter one is too long as well, and where there is nothing to shorten", async () => {
      const { status, body } = wire.refusals.context;
      const tooLong = (outgoing: ServerResponse) => sendJson(outgoing, { status, body: body("") });
      const world = await open(wire, [...pages.slice(0, 4).map(read), tooLong, "One was read.", tooLong, tooLong, "Fine."]);
      const told = { status: "failed", error: { message: expect.stringContaining("was sent more than it takes") } };
      const person = personAt(start(world));
      expect(await person.invokeNamed("agent_run", run)).toMatchObject(told);
      expect(world.model.requests).toHaveLength(7);
      expect(await person.invokeNamed("agent_run", run)).toMatchObject(told);
      expect(world.model.requests).toHaveLength(8);
      const [, first] = await world.turns.list("acme", {});
      expect(outputOf(await person.invokeNamed("agent_run", { ...run, conversation: first?.conversation })).text).toBe("Fine.");
    });
  });
}

describeWire(chat);
describeWire(messages);

describe("a conversation of long texts", () => {
  const answers = ["First", "Second", "Third", "Fourth", "Fifth"].map((text) => `${text} ${"and ".repeat(1_150)}`);
  /** Turns that fill the usual window of such a server: what is said next does not fit. */
  const talk = async (world: World) => {
    let conversation: string | undefined;
    for (const _ of answers) {
      const output = outputOf(await personAt(start(world)).invokeNamed("agent_run", { ...run, message: "Tell me.", conversation }));
      conversation = output.conversation;
    }
    return conversation ?? "";
  };
  const next = (world: World, conversation: string, options = {}) =>
    personAt(start(world, options)).invokeNamed("agent_run", { ...run, message: "Go on.", conversation });

  it("goes on with a summary of its beginning, which counts as usage, and begins the same after a restart", async () => {
    const world = await open(chat, [...answers, `They told ${chat.key}.`, "Sixth.", "Seventh."]);
    const conversation = await talk(world);
    expect(outputOf(await next(world, conversation)).text).toBe("Sixth.");
    const { requests } = world.model;
    const [summing, sent] = requests.slice(-2);
    expect(summing?.tools).toBeUndefined();
    expect(String(summing?.messages.at(-1)?.content)).toMatch(/^user: Tell me\.[\s\S]*assistant: First/);
    expect(sent?.messages.slice(0, 3)).toMatchObject([
      { role: "system" },
      { role: "user", content: expect.stringMatching(/^\[The beginning .*\]\n\nThey told \[redacted\]\.$/) },
      { role: "assistant", content: answers[2] },
    ]);
    const [turn] = await world.turns.list("acme", {});
    expect(turn?.usage.inputTokens).toBeGreaterThan(Math.ceil(JSON.stringify(sent).length / 4));
    expect(await compacted(world, conversation)).toMatchObject([{ data: { messages: 5, turn: turn?.id } }]);
    await next(world, conversation);
    expectPrefix(chat, requests.at(-2), requests.at(-1));
    const stored = JSON.stringify(await world.turns.messages({ tenant: "acme", conversation }));
    for (const answer of answers) expect(stored).toContain(answer);
  });

  it("reserves its summary in the budget that it shares before it asks for it, and counts it until it is kept", async () => {
    const seen: number[] = [];
    const world = await open(chat, [...answers, (outgoing) => look(outgoing, "They told."), (outgoing) => look(outgoing, "Sixth.")]);
    /** What another turn of the same budget sees while the model is asked. */
    const look = async (outgoing: ServerResponse, content: string) => {
      const running = await world.turns.list("acme", { states: ["running"] });
      const parent = running.find((turn) => turn.parent === undefined);
      if (!parent) throw new Error("No turn runs.");
      const id = `trn_${seen.length}`;
      const child = { ...parent, id, conversation: id, parent: parent.id, createdAt: world.clock.now() };
      await world.turns.begin(child, { role: "user", content: "" }, { holder: "test", until: Number.POSITIVE_INFINITY });
      const news = await world.turns.news({ tenant: "acme", id, holder: "test" }, { tokens: 0, cost: 0 });
      seen.push(news?.taken.tokens ?? 0);
      beginAnswer(outgoing, content, () => outgoing.end(endOfAnswer));
    };
    const conversation = await talk(world);
    expect(outputOf(await next(world, conversation)).text).toBe("Sixth.");
    const [summing, sent] = world.model.requests.slice(-2).map(({ messages: said }) => JSON.stringify(said).length / 4);
    expect(seen[0]).toBeGreaterThan((summing ?? 0) * 0.8);
    expect(seen[1]).toBeGreaterThan(((summing ?? 0) + (sent ?? 0)) * 0.8);
  });

  it("goes on as it is where the summary fails, and says so to operators", async () => {
    const world = await open(chat, [...answers, (outgoing) => sendJson(outgoing, { status: 500, body: {} }), "Sixth."]);
    const conversation = await talk(world);
    expect(outputOf(await next(world, conversation)).text).toBe("Sixth.");
    const { requests } = world.model;
    expectPrefix(chat, requests.at(-3), requests.at(-1));
    expect(await compacted(world, conversation)).toEqual([]);
    expect(world.log).toContainEqual({
      message: "A conversation could not be shortened.",
      fields: expect.objectContaining({ status: 500 }),
    });
  });

  it("is asked with the same in another process when the one that shortened it dies", async () => {
    const asked = Promise.withResolvers<void>();
    const world = await open(chat, [...answers, "They told.", () => asked.resolve(), "Sixth."]);
    const conversation = await talk(world);
    void next(world, conversation, { clock: createManualClock(world.clock.now()) });
    await asked.promise;
    await world.clock.advance(15_000);
    const { turns, clock } = world;
    expect(await resumeLostTurns({ engine: start(world), turns, clock, logger: silentLogger })).toBe(1);
    const { requests } = world.model;
    expect(requests).toHaveLength(8);
    expect(requests[7]).toEqual(requests[6]);
    expect((await turns.list("acme", {}))[0]).toMatchObject({ state: "done", text: "Sixth." });
  });
});
