import { agentsCapability, agentTools, createModelSource, Leaving, openAICompatibleModels, type RunsParts } from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import { createRandomIds, silentLogger } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ScriptedAnswer, serveScriptedModel } from "../../../examples/scripted-model.ts";
import { beginAnswer, call } from "./agents-world.ts";

const ann: Principal = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"], door: "rest" };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A store and a scripted model, and workers beside each other. `onSlow`: the tool `slow` runs, and ends when it is told to. */
async function open(script: readonly ScriptedAnswer[], onSlow = () => {}) {
  const database = await createServerDatabase();
  closing.push(database.drop);
  const model = await serveScriptedModel(script);
  closing.push(() => model.close());
  const slow = defineTool({
    ...{ name: "slow", description: "Waits for its signal.", input: z.object({ text: z.string() }), output: z.object({}) },
    run: (_, { signal }) =>
      new Promise<Record<string, never>>((resolve) => {
        signal.addEventListener("abort", () => resolve({}));
        onSlow();
      }),
  });
  const work = async (name: string) => {
    const store = await openStore({ url: database.url, process: `prc_${name}`, holder: "a test" });
    const { artifacts, events, sessions, turns, turnStream: stream, approvals, callTree, idempotency, clock, jobs } = store;
    const leaving = new Leaving();
    const models = createModelSource({
      usual: "openai-compatible/scripted-1",
      providers: new Map([["openai-compatible", async () => openAICompatibleModels({ server: { url: model.url } })]]),
    });
    const parts = (): RunsParts => ({
      ...{ engine, turns, stream, sessions, artifacts, events, models, clock, ids: createRandomIds(), logger: silentLogger, leaving },
      offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
    });
    const engine = createEngine({
      ...{ events, sessions, approvals, callTree, idempotency, clock, logger: silentLogger },
      ...{ tools: [...agentTools, slow], capabilities: [agentsCapability(parts)], administration: { jobs, turns, turnStream: stream } },
    });
    const worker = await store.startWorker({ engine, logger: silentLogger, isOperator: () => true });
    let stopped: Promise<unknown> | undefined;
    const stop = () =>
      (stopped ??= Promise.all([leaving.begin(50, clock), worker.stop(50)])
        .then(() => engine.close())
        .then(() => store.close()));
    closing.push(stop);
    return { store, jobs, stop };
  };
  return { model, work };
}

describe("a job whose worker ends in good order", () => {
  const begins =
    (resolve: () => void): ScriptedAnswer =>
    (outgoing) =>
      beginAnswer(outgoing, "Half", resolve);
  it.each<[string, (resolve: () => void) => ScriptedAnswer, number]>([
    ["in the middle of an answer", begins, 1],
    ["in the middle of a call that takes too long", () => [call("slow", "a")], 2],
  ])("%s goes on with its turn at another worker, and ends as that does", async (_, answer, steps) => {
    const begun = Promise.withResolvers<void>();
    const { model, work } = await open([answer(begun.resolve), "Whole."], begun.resolve);
    const first = await work("first");
    const { id } = await first.jobs.enqueue(ann, { tool: "agent_run", input: { agent: "assistant", message: "Go." } });
    await begun.promise;
    await first.stop();
    const { store, jobs } = await work("second");
    await expect.poll(async () => (await jobs.get(ann, id)).state, { timeout: 20_000 }).toBe("done");
    expect(await jobs.get(ann, id)).toMatchObject({ result: { output: { text: "Whole." } } });
    expect(await store.turns.list("default", {})).toMatchObject([{ state: "done", steps }]);
    expect(model.requests).toHaveLength(2);
  });
});
