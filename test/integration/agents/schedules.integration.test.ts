import {
  agentsCapability,
  agentTools,
  createModelSource,
  demoModels,
  type RunsParts,
  schedulesCapability,
  scheduleTools,
} from "@toolwright/agents";
import { toAISDK, toModelOutput } from "@toolwright/doors/ai-sdk";
import { createEngine, defaultPolicy, defineTool, type Engine, type Principal, parsePolicyDocument } from "@toolwright/engine";
import { createRandomIds, silentLogger } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { outputOf } from "./agents-world.ts";

const note = defineTool({
  name: "note",
  description: "Takes a note.",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: (input) => input,
});
const secret = defineTool({ ...note, name: "secret", description: "Is not for the agent.", run: (input) => input });

const person = (id: string): Principal => ({
  ...{ tenant: "default", actor: { kind: "user", id }, permissions: ["agents:run"], door: "rest", interactive: true },
});
const ann = person("ann");
const at = "2099-01-01T00:00:00Z";

describe("schedules as tools", () => {
  let database: Awaited<ReturnType<typeof createServerDatabase>>;
  let store: Store;
  let engine: Engine;
  beforeAll(async () => {
    database = await createServerDatabase();
    store = await openStore({ url: database.url, process: "prc_schedules", holder: "a test" });
    const { artifacts, events, sessions, turns, turnStream: stream, approvals, callTree, idempotency, clock, jobs, schedules } = store;
    const models = createModelSource({ usual: "demo/demo", providers: new Map([["demo", async () => demoModels()]]) });
    const parts = (): RunsParts => ({
      ...{ engine, turns, stream, sessions, artifacts, events, models, clock, ids: createRandomIds(), logger: silentLogger },
      offerTools: async (scope, options) => ({ ...toAISDK(scope, options), write: toModelOutput }),
    });
    engine = createEngine({
      ...{ events, sessions, approvals, callTree, idempotency, clock, logger: silentLogger },
      tools: [...agentTools, ...scheduleTools, note, secret],
      capabilities: [agentsCapability(parts), schedulesCapability(() => ({ engine }))],
      administration: { jobs, schedules, turns, turnStream: stream },
      policy: [
        { tier: "platform", document: defaultPolicy },
        { tier: "agent", agent: "assistant", document: parsePolicyDocument({ version: 1, tools: { deny: ["secret"] } }) },
      ],
    });
  });
  afterAll(async () => {
    await engine.close();
    await store.close();
    await database.drop();
  });
  beforeEach(async () => {
    for (const each of [ann, person("bob")]) for (const { id } of await store.schedules.list(each)) await store.schedules.remove(each, id);
  });

  /** The calls that the agent makes in one turn for somebody, and what it reads of them. */
  async function asked(who: Principal, ...calls: readonly (readonly [tool: string, input: object])[]): Promise<string> {
    const message = calls.map(([tool, input]) => `call ${tool} ${JSON.stringify(input)}`).join("\n");
    return outputOf(await engine.scope(who).invokeNamed("agent_run", { agent: "assistant", message })).text;
  }

  it("are made as whom the agent acts for, with the agent's rights for what it calls", async () => {
    await asked(
      ann,
      ["schedule_add", { name: "later", message: "Hello", at }],
      ["schedule_add", { name: "noted", tool: "note", input: '{"text": "a"}', cron: "0 8 * * 1-5", zone: "Europe/Berlin" }],
    );
    const [later, noted] = await store.schedules.list(ann);
    expect(later).toMatchObject({
      name: "later",
      tool: "agent_run",
      input: { agent: "assistant", message: "Hello" },
      nextAt: Date.parse(at),
    });
    expect(noted).toMatchObject({ name: "noted", tool: "note", cron: "0 8 * * 1-5", zone: "Europe/Berlin" });
    expect(later?.principal).toEqual(ann);
    expect(noted?.principal).toEqual({ ...ann, agent: "assistant" });
  });

  it("are the agent's for one person, and not those that the person made of other tools", async () => {
    const request = { tool: "note", input: { text: "mine" }, when: { at: Date.parse(at) } };
    await store.schedules.add(ann, { ...request, name: "mine" });
    await store.schedules.add({ ...person("bob"), agent: "assistant" }, { ...request, name: "bobs" });
    await store.schedules.add(ann, { ...request, name: "told", tool: "agent_run", input: { agent: "assistant", message: "Go." } });
    await asked(ann, ["schedule_add", { name: "own", message: "Hello", at }]);
    const listed = await asked(ann, ["schedule_list", {}]);
    expect(listed).toMatch(/own.*told/s);
    expect(listed).not.toMatch(/mine|bobs/);
    const refused = await asked(ann, ["schedule_remove", { schedule: "mine" }], ["schedule_remove", { schedule: "bobs" }]);
    expect(refused.match(/There is no schedule/g)).toHaveLength(2);
    await asked(ann, ["schedule_remove", { schedule: "own" }], ["schedule_remove", { schedule: "told" }]);
    expect((await store.schedules.list(ann)).map(({ name }) => name)).toEqual(["mine"]);
    expect((await store.schedules.list(person("bob"))).map(({ name }) => name)).toEqual(["bobs"]);
  });

  it.each([
    ["a message to another agent", { message: "Hello", agent: "admin", at }, /to itself alone/],
    ["a tool that begins turns", { tool: "agent_run", input: "{}", at }, /no tool named/],
    ["a tool that the agent has not", { tool: "secret", input: '{"text": "a"}', at }, /no tool named/],
    ["no time", { message: "Hello" }, /Give either cron/],
    ["two times", { message: "Hello", at, cron: "0 8 * * *" }, /Give either cron/],
    ["a time that is none", { message: "Hello", at: "tomorrow" }, /Give either cron/],
    ["a time that has passed", { message: "Hello", at: "2020-01-01T00:00:00Z" }, /has passed already/],
    ["a cron line that is none", { message: "Hello", cron: "daily" }, /five fields/],
    ["neither message nor tool", { at }, /Give either message/],
    ["input that is no JSON", { tool: "note", input: "{", at }, /no JSON/],
    ["input that does not fit", { tool: "note", input: '{"txt": "a"}', at }, /\/txt: unknown member/],
  ])("are refused for %s", async (_, input, words) => {
    expect(await asked(ann, ["schedule_add", { name: "refused", ...input }])).toMatch(words);
    expect(await store.schedules.list(ann)).toEqual([]);
  });

  it("are a person's own, too, who sends to any agent that there is", async () => {
    const scope = engine.scope(ann);
    expect(await scope.invokeNamed("schedule_add", { name: "told", agent: "assistant", message: "Hello", at })).toMatchObject({
      status: "done",
      output: { name: "told", tool: "agent_run", nextAt: "2099-01-01T00:00:00.000Z" },
    });
    expect(await scope.invokeNamed("schedule_add", { name: "x", message: "Hello", at })).toMatchObject({
      error: { code: "invalid_input" },
    });
    expect(await scope.invokeNamed("schedule_add", { name: "x", agent: "nobody", message: "Hello", at })).toMatchObject({
      error: { code: "catalogue_not_found" },
    });
    expect(await scope.invokeNamed("schedule_list", {})).toMatchObject({ output: { schedules: [{ name: "told" }] } });
  });

  it("has its message answered when the time comes, with nobody to ask", async () => {
    await asked(ann, ["schedule_add", { name: "soon", message: "Good morning.", at: new Date(store.clock.now() + 1_000).toISOString() }]);
    const worker = await store.startWorker({ engine, logger: silentLogger, isOperator: () => false });
    const turn = await vi.waitFor(
      async () => {
        const [newest] = await store.turns.list("default", { states: ["done"] });
        expect(newest?.text).toContain("Good morning.");
        return newest;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(turn).toMatchObject({
      agent: "assistant",
      owner: "ann",
      principal: { actor: ann.actor, unattended: true, runtime: "schedule" },
    });
    await worker.stop(5_000);
  });
});
