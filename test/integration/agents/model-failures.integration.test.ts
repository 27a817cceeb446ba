import type { KeyOwner } from "@toolwright/agents";
import { createModelSource, inspectModels, openAICompatibleModels, testModel } from "@toolwright/agents";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ScriptedAnswer, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { type ScriptedAnswerTo, type ScriptedServerOptions, sendJson } from "../../../examples/scripted-server.ts";
import { call, outputOf, personAt, World } from "./agents-world.ts";
import { begin, chat, converse, messages, responses, type Wire } from "./wires.ts";

const run = { agent: "assistant", message: "Go." };
const site = { tenant: "acme", agent: "assistant", conversation: "ses_1" };

let close = async () => {};
afterEach(() => close());

async function open<Request>(wire: Wire<Request>, script: readonly ScriptedAnswerTo<Request>[], options?: ScriptedServerOptions) {
  const world = await World.openWith(wire, script, options);
  close = () => world.close();
  return world;
}

function describeWire<Request>(wire: Wire<Request>): void {
  describe(`a model over ${wire.name} that fails`, () => {
    /** One turn against a refusal that repeats the key as it came. */
    async function refuse(kind: keyof typeof wire.refusals) {
      const { status, body } = wire.refusals[kind];
      const world: World<Request> = await open<Request>(wire, [
        (outgoing) => {
          const { authorization, "x-api-key": key } = world.model.headers.at(-1) ?? {};
          sendJson(outgoing, { status, body: body(String(authorization ?? key)) });
        },
      ]);
      const result = await personAt(world.start()).invokeNamed("agent_run", run);
      const [turn] = await world.turns.list("acme", {});
      expect(result).toMatchObject({ status: "failed", error: { toolCode: "model_unavailable" } });
      const events = await world.events.read({ tenant: "acme", session: "inbox" });
      const shown = await world.stream.read({ tenant: "acme", id: turn?.id ?? "" }, 0);
      expect(JSON.stringify([result, turn, events, world.log, shown])).not.toMatch(/canary/i);
      expect(world.log.at(-1)).toMatchObject({
        message: "A model failed.",
        fields: { status, said: expect.stringContaining("[redacted]") },
      });
      return turn?.error;
    }

    it("for a key that it refuses says so, and the key is nowhere, the operator's log included", async () => {
      expect(await refuse("key")).toMatchObject({
        details: { failure: "key-refused" },
        message: expect.stringContaining("refused the key"),
      });
    });

    it("by repeating the key in what it says: nothing of that is shown or stored", async () => {
      const said = `My key is ${wire.key}, I think.`;
      const world = await open<Request>(wire, [
        [{ text: said }, call("note", said)],
        [{ thought: said, seal: "c2VhbA==" }, { text: said }],
      ]);
      const added = vi.spyOn(world.stream, "add");
      const result = await personAt(world.start()).invokeNamed("agent_run", run);
      const { turn, conversation, text } = outputOf(result);
      expect(text).toBe("My key is [redacted], I think.");
      expect(world.did).toEqual(["note My key is [redacted], I think."]);
      const stored = [
        await world.turns.messages({ tenant: "acme", conversation }),
        await world.events.read({ tenant: "acme", session: conversation }),
        await world.stream.read({ tenant: "acme", id: turn }, 0),
      ];
      expect(JSON.stringify([result, stored, added.mock.calls, world.log, world.model.requests])).not.toMatch(/canary/i);
      expect(JSON.stringify(added.mock.calls)).toContain("My key is ");
    });

    it("for a conversation that is too long is told apart", async () => {
      expect(await refuse("context")).toMatchObject({ details: { failure: "context-too-long" } });
    });

    it("for an account without credit is not asked again", async () => {
      expect(await refuse("quota")).toMatchObject({ details: { failure: "quota-spent" } });
    });

    it.each([
      ["breaks off without an end", undefined],
      ["has an error in it", wire.hiccup],
    ])("is asked again where its answer %s, and keeps nothing of that", async (_, ending) => {
      const half = (outgoing: Parameters<typeof begin>[0]) => {
        begin(outgoing, wire);
        outgoing.end(ending);
      };
      const world = await open<Request>(wire, [half, "At last."]);
      const output = outputOf(await world.patiently(personAt(world.start()).invokeNamed("agent_run", run)));
      expect(output.text).toBe("At last.");
      expect(JSON.stringify(await world.turns.messages({ tenant: "acme", conversation: output.conversation }))).not.toContain("Half");
      expect((await world.turns.list("acme", {}))[0]?.steps).toBe(1);
    });

    it("is tested: it answers, streams, calls tools and counts", async () => {
      const world = await open(wire, ["One, two, three.", [call("echo", "ping")]]);
      const checks = await testModel(world.models(), wire.usual, site);
      expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
        ["reach", true],
        ["streaming", true],
        ["tools", true],
        ["usage", true],
      ]);
    });
  });
}

describeWire(chat);
describeWire(responses);
describeWire(messages);
describeWire(converse);

describe("the test of a model", () => {
  const check = async (script: readonly ScriptedAnswer[], options?: ScriptedServerOptions) => {
    const world = await open(chat, script, options);
    return testModel(world.models(), chat.usual, site);
  };
  const noTools: ScriptedAnswer = (outgoing) =>
    sendJson(outgoing, { status: 400, body: { error: { message: "registry.ollama.ai/library/x does not support tools" } } });

  it("says what a server without tools, pieces and counts lacks", async () => {
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`;
    const whole: ScriptedAnswer = (outgoing) =>
      outgoing
        .writeHead(200, { "content-type": "text/event-stream" })
        .end(`${chunk({ delta: { role: "assistant", content: "One" } })}${chunk({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
    expect(await check([whole, noTools])).toEqual([
      { name: "reach", ok: true, message: expect.stringContaining("answers") },
      { name: "streaming", ok: false, message: expect.stringContaining("come whole") },
      { name: "tools", ok: false, message: expect.stringContaining("HTTP 400") },
      { name: "usage", ok: false, message: expect.stringContaining("estimated") },
    ]);
  });

  it("says when a model does not call the tool it was asked to call", async () => {
    const checks = await check(["One, two.", "I cannot."]);
    expect(checks[2]).toMatchObject({ name: "tools", ok: false, message: expect.stringContaining("did not call") });
  });

  it("says that a dead port does not answer, and tries no more", async () => {
    const world = await open(chat, []);
    const source = world.models();
    await world.close();
    close = async () => {};
    const [reach, ...others] = await testModel(source, chat.usual, site);
    expect(reach).toMatchObject({ ok: false, message: expect.stringContaining("Check that its server runs") });
    expect(others.map(({ ok }) => ok)).toEqual([false, false, false]);
  });

  it("names the secret where there is no key", async () => {
    const world = await open(messages, []);
    const [reach] = await testModel(world.models(), "anthropic/claude-opus-5-5", { ...site, tenant: "other" });
    expect(reach).toEqual({ name: "reach", ok: false, message: expect.stringContaining("Set the secret anthropic_api_key") });
  });
});

describe("what there is of models", () => {
  const checks = (ok: readonly boolean[]) =>
    ["reach", "streaming", "tools", "usage"].map((name, index) => expect.objectContaining({ name, ok: ok[index] }));
  const inspect = async <Request>(wire: Wire<Request>, script: readonly ScriptedAnswerTo<Request>[]) => {
    const world = await open(wire, script);
    return { world, models: inspectModels({ models: world.models(), clock: world.clock }) };
  };

  it("is listed with what each provider needs, by the secrets of the agent and its tenant, and of no other", async () => {
    const { world, models } = await inspect(chat, []);
    await world.secrets.set({ tenant: "other", name: "openai_api_key", agent: "helper" }, "sk-helper");
    const missing = async (owner: KeyOwner) =>
      (await models.providers(owner)).map(({ provider, needs }) => [
        provider,
        needs.filter(({ isThere }) => !isThere).map(({ name }) => name),
      ]);
    const aws = ["aws_region", "aws_access_key_id", "aws_secret_access_key"];
    const other = (openai: readonly string[]) => [
      ["demo", []],
      ["openai-compatible", []],
      ["openai", openai],
      ["anthropic", ["anthropic_api_key"]],
      ["bedrock", aws],
    ];
    expect((await missing({ tenant: "acme" })).flatMap(([, names]) => names)).toEqual([]);
    expect(await missing({ tenant: "other" })).toEqual(other(["openai_api_key"]));
    expect(await missing({ tenant: "other", agent: "helper" })).toEqual(other([]));
    const [, needs] = (await models.providers({ tenant: "acme" })).map(({ needs: all }) => all);
    expect(needs).toEqual([{ kind: "setting", name: "TOOLWRIGHT_MODEL_URL", isThere: true }]);
  });

  it("can be tested, and the demo model passes", async () => {
    const { models } = await inspect(messages, ["One, two.", [call("echo", "ping")]]);
    const all = [true, true, true, true];
    expect(await models.test(messages.usual, { tenant: "acme" })).toEqual(checks(all));
    expect(await models.test("demo/demo", { tenant: "acme" })).toEqual(checks(all));
    expect(await models.test("nowhere", { tenant: "acme" })).toEqual(checks([false, false, false, false]));
  });

  it("is not waited for when it stalls, or when who asks leaves", async () => {
    const stalled = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const { world, models } = await inspect(chat, [() => stalled.resolve(), () => leaving.abort()]);
    const testing = models.test(chat.usual, { tenant: "acme" });
    await stalled.promise;
    await world.clock.advance(60_000);
    expect(await testing).toEqual(checks([false, false, false, false]));
    expect(await models.test(chat.usual, { tenant: "acme", signal: leaving.signal })).toEqual(checks([false, false, false, false]));
  });
});

describe("a server that a tenant names", () => {
  it("is reached by the guarded fetch alone, and never gets the operator's key", async () => {
    const [operators, own] = await Promise.all([serveScriptedModel(["Operator's."]), serveScriptedModel(["Own."])]);
    close = async () => void (await Promise.all([operators.close(), own.close()]));
    const guarded: string[] = [];
    const provider = openAICompatibleModels({
      server: { url: operators.url, key: "operators-key" },
      own: {
        keys: async (name, { tenant }) => (tenant === "acme" && name === "openai_compatible_url" ? own.url : undefined),
        fetch: () => (input, init) => {
          guarded.push(String(input));
          return fetch(input, init);
        },
      },
    });
    const source = createModelSource({ usual: "", providers: new Map([["own", async () => provider]]) });
    await testModel(source, "own/m", site);
    await testModel(source, "own/m", { ...site, tenant: "other" });
    expect(guarded).toHaveLength(own.requests.length);
    expect(own.requests.length).toBeGreaterThan(0);
    expect(own.headers[0]).not.toHaveProperty("authorization");
    expect(operators.headers[0]).toMatchObject({ authorization: "Bearer operators-key" });
  });
});
