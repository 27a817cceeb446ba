import type { Engine } from "@toolwright/engine";
import { afterEach, describe, expect, it, vi } from "vitest";
import { serveScriptedConverse } from "../../../examples/scripted-converse.ts";
import type { ScriptedAnswerTo, ScriptedServerOptions } from "../../../examples/scripted-server.ts";
import { ann, call, outputOf, personAt, World } from "./agents-world.ts";
import { begin, chat, converse, messages, responses, type Wire } from "./wires.ts";

const run = { agent: "assistant", message: "Go." };
const seal = "c2VhbGVkLXJlYXNvbmluZw==";
const thinking = { thought: "They want it paid.", seal };

let close = async () => {};
afterEach(() => close());

async function open<Request>(wire: Wire<Request>, script: readonly ScriptedAnswerTo<Request>[], options?: ScriptedServerOptions) {
  const world = await World.openWith(wire, script, options);
  close = () => world.close();
  return world;
}

/** Runs the agent, and cancels its turn in the middle of the tool `slow`. */
async function stopInSlow<Request>(world: World<Request>, engine: Engine) {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  world.onSlow = resolve;
  const running = personAt(engine).invokeNamed("agent_run", run);
  await slow;
  const turn = (await world.turns.list("acme", {})).find(({ parent }) => parent === undefined);
  await engine.operate(ann, "turns.cancel", { id: turn?.id ?? "" });
  return { running, conversation: turn?.conversation };
}

const described = { name: "A", features: {}, restricted: false, acceptsAgents: true };
const json = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value));

/** That each request begins with all of the one before, byte for byte. */
function expectPrefixes<Request>({ prefixOf }: Wire<Request>, requests: readonly Request[]): void {
  for (const [index, request] of requests.entries()) {
    if (index === 0) continue;
    const before = json(prefixOf(requests[index - 1] as Request));
    expect(json(prefixOf(request)).slice(0, before.length)).toEqual(before);
  }
}

function describeWire<Request>(wire: Wire<Request>): void {
  describe(`a turn over ${wire.name}`, () => {
    it("streams, makes three calls at once of which one waits, goes on in another process, and answers", async () => {
      const world = await open(wire, [
        [thinking, { text: "Let me see." }, call("note", "a"), call("pay", "b"), call("note", "c")],
        "Paid.",
      ]);
      const first = world.start();
      expect((await personAt(first).invokeNamed("agent_run", run)).status).toBe("pending");
      expect(world.did.toSorted()).toEqual(["note a", "note c"]);
      const [begun] = await world.turns.list("acme", {});
      expect(JSON.stringify(await world.stream.read({ tenant: "acme", id: begun?.id ?? "" }, 0))).toContain('"delta":"Let me see."');
      const second = world.start();
      const [waiting] = await personAt(second).approvals();
      await personAt(second).answer(waiting?.record.id ?? "", { kind: "approve" });
      expect(await second.resumeDue()).toBe(1);
      expect(world.did.toSorted()).toEqual(["note a", "note c", "pay b"]);
      const [turn] = await world.turns.list("acme", {});
      expect(turn).toMatchObject({ state: "done", text: "Paid.", steps: 2 });
      const [asked, answered] = world.model.requests;
      expect(wire.toolsOf(asked as Request)).toEqual(["delegate", "note", "pay", "slow", "task_spawn", "task_status"]);
      expectPrefixes(wire, world.model.requests);
      expect(JSON.stringify(answered)).toContain(thinking.thought);
      expect(wire.marksOf(answered as Request)).toBeLessThanOrEqual(4);
    });

    it("begins each request of ten turns with the one before, across a restart, and when tools and agents came and went", async () => {
      const steps = Array.from({ length: 10 }, (_, index) => [
        [thinking, call("note", `${index}`), call("note", "again")],
        `Answer ${index}.`,
      ]);
      const world = await open(wire, steps.flat());
      const { agents, enablement } = world.catalogue;
      for (const agent of ["assistant", "other"]) await agents.create("acme", { ...described, agent });
      const switchAll = async (isOn: boolean) => {
        await agents.change("acme", "other", { acceptsAgents: !isOn });
        await enablement.setForTenant("acme", ["slow", "note", "pay"], isOn);
        await enablement.setForAgent({ tenant: "acme", agent: "assistant" }, ["pay", "slow"], isOn);
      };
      let conversation: string | undefined;
      let engine = world.start();
      for (let turn = 0; turn < 10; turn += 1) {
        if (turn === 3) await switchAll(false);
        if (turn === 3 || turn === 7) await switchAll(true);
        if (turn === 5) engine = world.start();
        const output = outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation }));
        expect(output.text).toBe(`Answer ${turn}.`);
        conversation = output.conversation;
      }
      const { requests } = world.model;
      expect(requests).toHaveLength(20);
      expectPrefixes(wire, requests);
      // So that what was read of them is all that came.
      expect(world.model.bodies).toEqual(json(requests));
      for (const request of requests) expect(wire.marksOf(request)).toBeLessThanOrEqual(4);
    });

    it("takes the next message after a stop in the middle of a tool, with what was thought before it", async () => {
      const world = await open(wire, [[{ thought: "", seal }, call("note", "a"), call("slow", "b")], "Next."]);
      const engine = world.start();
      const { running, conversation } = await stopInSlow(world, engine);
      expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
      const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation });
      expect(outputOf(next).text).toBe("Next.");
    });

    it("takes the next message after a stop while it waits for a person", async () => {
      const world = await open(wire, [[thinking, call("pay", "a"), call("note", "b")], "Next."]);
      const engine = world.start();
      await personAt(engine).invokeNamed("agent_run", run);
      const [turn] = await world.turns.list("acme", {});
      await engine.operate(ann, "turns.cancel", { id: turn?.id ?? "" });
      expect(await engine.resumeDue()).toBe(1);
      const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation });
      expect(outputOf(next).text).toBe("Next.");
    });

    it("takes the next message after a stop in the middle of a sub-agent's work", async () => {
      const spawn = { name: "task_spawn", input: { task: "Look." } };
      const world = await open(wire, [[thinking, spawn, call("note", "a")], [thinking, call("slow", "b")], "Next."]);
      const engine = world.start();
      const { running, conversation } = await stopInSlow(world, engine);
      expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
      const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation });
      expect(outputOf(next).text).toBe("Next.");
    });

    it("takes the next message after a stop in the middle of an answer", async () => {
      const begun = Promise.withResolvers<void>();
      const world = await open<Request>(wire, [
        (outgoing) => {
          begin(outgoing, wire);
          begun.resolve();
        },
        "Next.",
      ]);
      const engine = world.start();
      const running = personAt(engine).invokeNamed("agent_run", run);
      await begun.promise;
      const [turn] = await world.turns.list("acme", {});
      await engine.operate(ann, "turns.cancel", { id: turn?.id ?? "" });
      expect(outputOf(await running)).toMatchObject({ state: "cancelled" });
      const next = await personAt(engine).invokeNamed("agent_run", { ...run, conversation: turn?.conversation });
      expect(outputOf(next).text).toBe("Next.");
    });

    it("answers without tools in its last step, and knows what they gave", async () => {
      const world = await open(wire, [...Array.from({ length: 14 }, (_, index) => [call("note", `${index}`)]), "I got this far."]);
      const output = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
      expect(output).toMatchObject({ text: "I got this far.", limit: "steps" });
      expect(JSON.stringify(world.model.requests.at(-1))).toContain("note did 13");
    });
  });
}

describeWire(chat);
describeWire(responses);
describeWire(messages);
describeWire(converse);

describe("requests to OpenAI", () => {
  it("store nothing there, ask for sealed reasoning, and name the conversation for the cache", async () => {
    const world = await open(responses, [
      [{ thought: "", seal }, call("note", "a"), { thought: "More.", seal: "b" }, call("note", "b")],
      "Done.",
    ]);
    const { conversation } = outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    const [first, second] = world.model.requests;
    const kept = { store: false, prompt_cache_key: conversation, include: ["reasoning.encrypted_content"] };
    expect([first, second]).toMatchObject([kept, kept]);
    // In the order in which they came, although calls are held back until the answer is stored.
    expect(second?.input.slice(2).map(({ type, encrypted_content: sealed }) => sealed ?? type)).toEqual([
      ...[seal, "function_call", "b", "function_call"],
      ...["function_call_output", "function_call_output"],
    ]);
  });
});

describe("requests to Anthropic", () => {
  it("are marked after the last tool, the instructions, the last message and the one of the request before", async () => {
    const world = await open(messages, [[call("note", "a")], [call("note", "b")], "Done."]);
    outputOf(await personAt(world.start()).invokeNamed("agent_run", run));
    const last = world.model.requests.at(-1);
    const marked = (blocks: readonly { readonly cache_control?: unknown }[] = []) =>
      blocks.map(({ cache_control: mark }) => mark !== undefined);
    expect(marked(last?.tools)).toEqual([false, false, false, false, false, true]);
    expect(marked(last?.system)).toEqual([true]);
    expect(last?.messages.map(({ content }) => marked(content).some(Boolean))).toEqual([false, false, true, false, true]);
    expect(
      JSON.stringify(
        await world.turns.messages({ tenant: "acme", conversation: (await world.turns.list("acme", {}))[0]?.conversation ?? "" }),
      ),
    ).not.toContain("ephemeral");
  });
});

describe("a conversation with Anthropic", () => {
  it("goes on after blank lines, which the provider refuses as text, and holds the words around them", async () => {
    const world = await open(messages, [[{ text: " \n" }, call("note", "a")], [{ text: "\n" }, call("slow", "b")], "Next."]);
    const engine = world.start();
    const { running } = await stopInSlow(world, engine);
    const { conversation } = outputOf(await running);
    expect(outputOf(await personAt(engine).invokeNamed("agent_run", { ...run, conversation })).text).toBe("Next.");
    expect(world.model.requests.at(-1)?.messages.map(({ role, content }) => `${role} ${content.map(({ type }) => type)}`)).toEqual([
      ...["user text", "assistant tool_use", "user tool_result", "assistant tool_use", "user tool_result,text"],
    ]);
  });
});

describe("requests to Bedrock", () => {
  it("are signed with the tenant's keys, whatever the environment holds", async () => {
    vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "operators-own");
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOPERATOR");
    vi.stubEnv("AWS_SESSION_TOKEN", "operators-session");
    const world = await open(converse, ["Hello."]);
    await personAt(world.start()).invokeNamed("agent_run", run);
    vi.unstubAllEnvs();
    const [headers] = world.model.headers;
    expect(headers?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIACANARY\/\d+\/eu-central-1\/bedrock\//);
    expect(JSON.stringify(headers)).not.toContain("operator");
  });

  it("have no marks where the model has no cache, and go to no host that a region names", async () => {
    const world = await open({ ...converse, usual: "bedrock/meta.llama3-70b-instruct-v1:0", serve: serveScriptedConverse }, ["Hello."]);
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    expect(world.model.requests.map(converse.marksOf)).toEqual([0]);
    await world.secrets.set({ tenant: "acme", name: "aws_region" }, "x.example/eu-west-1");
    const result = await personAt(engine).invokeNamed("agent_run", run);
    expect(result).toMatchObject({ status: "failed", error: { message: expect.stringContaining("aws_region") } });
    expect(world.model.requests).toHaveLength(1);
  });
});

describe("what a turn took", () => {
  it("has a cost where the model has a price", async () => {
    const world = await open(messages, [[call("note", "a")], "Done."], { usage: { input: 1_000, cached: 400, written: 100, output: 50 } });
    const result = await personAt(world.start()).invokeNamed("agent_run", run);
    const [turn] = await world.turns.list("acme", {});
    const twice = { inputTokens: 2_000, cachedInputTokens: 800, cacheWriteTokens: 200, outputTokens: 100, cost: 0.007_16 };
    expect(turn?.usage).toEqual({ models: ["anthropic/claude-opus-5-5"], ...twice });
    const events = await world.events.read({ tenant: "acme", session: "inbox" });
    expect(outputOf(result).state).toBe("done");
    expect(events.at(-1)?.event.data.usage).toEqual({ models: ["anthropic/claude-opus-5-5"], ...twice });
  });

  it("is estimated where the server does not count, and says so", async () => {
    const world = await open(chat, ["Done, and this is a long answer."], { usage: null });
    await personAt(world.start()).invokeNamed("agent_run", run);
    const [turn] = await world.turns.list("acme", {});
    expect(turn?.usage).toMatchObject({ estimated: true });
    expect(turn?.usage.inputTokens).toBeGreaterThan(100);
    expect(turn?.usage.outputTokens).toBeGreaterThan(5);
    expect(turn?.usage).not.toHaveProperty("cost");
  });
});
