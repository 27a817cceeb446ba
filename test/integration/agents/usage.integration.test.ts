import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ann, outputOf, World } from "./agents-world.ts";

const admin = { ...ann, tenant: ann.tenant as string, permissions: [...ann.permissions, "log:read"] };
const stranger = { ...admin, tenant: "other" };

describe("usage_stats", () => {
  let world: World;
  let engine: ReturnType<World["start"]>;
  beforeAll(async () => {
    world = await World.open([]);
    engine = world.start({ usual: "demo/demo" });
    await asked(stranger, "Hello");
    await asked(admin, "Hello");
    await asked(admin, 'call note {"text": "a"}');
  });
  afterAll(() => world.close());

  const asked = async (who: typeof admin, message: string) =>
    outputOf(await engine.scope(who).invokeNamed("agent_run", { agent: "assistant", message })).text;
  const stats = (who: typeof admin, input: object = {}) => engine.scope(who).invokeNamed("usage_stats", input as never);
  const operated = (who: typeof admin, by: "model" | "day") => engine.operate(who, "usage.models", { by, since: 0 });

  it("sums up what the operation sums up, of the caller's tenant alone", async () => {
    for (const who of [admin, stranger])
      for (const by of ["model", "day"] as const)
        expect(await stats(who, { by })).toMatchObject({ status: "done", output: { usage: (await operated(who, by)).items } });
    expect(await stats(admin)).toMatchObject({ output: { usage: [{ key: "demo/demo", turns: 2, requests: 3 }] } });
    expect(await stats(stranger, { by: "tenant" })).toMatchObject({ output: { usage: [{ key: "other", turns: 1 }] } });
  });

  it("counts the turns of a time, of an agent and of a model", async () => {
    const now = new Date(world.clock.now() + 1).toISOString();
    const long = { since: "1970-01-01" };
    for (const none of [{ since: now }, { ...long, until: "1970-01-01" }, { ...long, agent: "nobody" }, { ...long, model: "openai/gpt-5" }])
      expect(await stats(admin, none), JSON.stringify(none)).toMatchObject({ status: "done", output: { usage: [] } });
    for (const all of [
      { ...long, until: now },
      { ...long, agent: "assistant" },
      { ...long, model: "demo/demo" },
    ])
      expect(await stats(admin, all), JSON.stringify(all)).toMatchObject({ output: { usage: [{ turns: 2 }] } });
    for (const since of ["yesterday", "2027-02-31", "7", "2027-01-31T08:00"])
      expect(await stats(admin, { since }), since).toMatchObject({
        status: "failed",
        error: { message: expect.stringContaining("2027-01-31") },
      });
  });

  it("is there for people who may read usage and for their agents, and for nobody else", async () => {
    const names = (who: typeof admin) =>
      engine
        .scope(who)
        .list()
        .map(({ name }) => name);
    expect(names(admin)).toContain("usage_stats");
    expect(await asked(admin, "call usage_stats {}")).toContain('"demo/demo"');
    const member = { ...admin, permissions: [...ann.permissions] };
    expect(names(member)).not.toContain("usage_stats");
    expect(await stats(member)).toMatchObject({ error: { code: "tool_not_found" } });
    expect(await asked(member, "call usage_stats {}")).toMatch(/no tool named/);
  });
});
