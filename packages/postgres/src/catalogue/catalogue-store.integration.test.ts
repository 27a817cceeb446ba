import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import type { TenantTool } from "@toolwright/engine/catalogue";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { type CatalogueStore, createCatalogueStore } from "./catalogue-store.ts";

const make = (name: string, more: object = {}) =>
  defineTool({ name, description: `The tool ${name}.`, input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const codeTools = [
  make("read"),
  make("write"),
  make("remember", { visibility: { feature: "memory" } }),
  make("picture", { visibility: { optIn: true } }),
  make("mail", { effects: { secrets: ["MAIL_KEY"] } }),
];
const person: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["catalogue:explain"], door: "cli" };
const agent = { agent: "helper", name: "Helper", features: {}, restricted: true, acceptsAgents: false };
const quote: TenantTool = {
  tool: "quote",
  title: "Quote",
  group: "sales",
  description: "Makes a quote.",
  inputSchema: { type: "object", properties: { euros: { type: "number" } }, required: ["euros"], additionalProperties: false },
  outputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: false },
  approval: "auto",
  execution: { kind: "prompt" },
};

describe.each(testDatabaseKinds)("who has which tools, %s", (kind) => {
  let test: TestDatabase;
  let store: CatalogueStore;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());
  beforeEach(async () => {
    store = await createCatalogueStore(test.database, { process: "p1" });
  });
  afterEach(async () => {
    store.close();
    await test.database.asSystem(async (query) => {
      for (const table of ["agents", "skills", "tools", "tenant_tools"])
        await sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query);
    });
  });

  const engineOn = ({ visibility, tenantTools }: Pick<CatalogueStore, "visibility" | "tenantTools">) =>
    createEngine({ tools: codeTools, visibility, tenantTools });
  const namesFor = (of: CatalogueStore, by: Partial<Principal> = { agent: "helper" }) =>
    engineOn(of)
      .scope({ ...person, ...by }, { session: "s" })
      .list()
      .map(({ name }) => name);
  const whyFor = (name: string) =>
    engineOn(store)
      .scope({ ...person, agent: "helper" }, { session: "s" })
      .why(name).text;

  it("shows a restricted agent what was enabled, and says by whom", async () => {
    await store.agents.create("acme", agent, ["write"]);
    expect(namesFor(store)).toEqual(["write"]);
    await store.enablement.setForAgent({ tenant: "acme", agent: "helper" }, ["read"], true);
    expect(namesFor(store)).toEqual(["read", "write"]);
    expect(await store.enablement.listForAgent("acme", "helper")).toEqual([
      { tool: "read", source: "manual", skill: undefined, enabled: true },
      { tool: "write", source: "default", skill: undefined, enabled: true },
    ]);
    expect(whyFor("mail")).toContain('It is not enabled for agent "helper"');
    expect(namesFor(store, { tenant: "other", agent: "helper" })).toHaveLength(3);
  });

  it("hides from an agent that is not restricted only what was switched off", async () => {
    await store.agents.create("acme", { ...agent, restricted: false });
    await store.enablement.setForAgent({ tenant: "acme", agent: "helper" }, ["write"], false);
    expect(namesFor(store)).toEqual(["read", "remember"]);
    expect(whyFor("write")).toContain('It is switched off for agent "helper"');
  });

  it("gives an agent that the tenant does not have nothing, once it has agents", async () => {
    expect(namesFor(store, { agent: "ghost" })).not.toEqual([]);
    await store.agents.create("acme", agent);
    expect(namesFor(store, { agent: "ghost" })).toEqual([]);
  });

  it("enables the tools of a skill, and takes them back with it and nothing else", async () => {
    await store.agents.create("acme", agent);
    const of = { tenant: "acme", agent: "helper" };
    await store.skills.create("acme", { skill: "letters", title: "Letters", instructions: "Write.", tools: ["read", "write"] });
    await store.skills.create("acme", { skill: "notes", title: "Notes", instructions: "Note.", tools: ["write", "remember"] });
    await store.skills.setForAgent({ ...of, skill: "letters" }, true);
    await store.skills.setForAgent({ ...of, skill: "notes" }, true);
    await store.enablement.setForAgent(of, ["read"], true);
    expect(namesFor(store)).toEqual(["read", "remember", "write"]);
    expect(
      engineOn(store)
        .scope({ ...person, agent: "helper" }, { session: "s" })
        .survey()
        .find(({ tool }) => tool.name === "write")?.admission.checks[2]?.reason,
    ).toBe('It is enabled for agent "helper": it is needed by skill "letters", "notes".');
    await store.skills.setForAgent({ ...of, skill: "letters" }, false);
    expect(namesFor(store)).toEqual(["read", "remember", "write"]);
    await store.skills.change("acme", "notes", { tools: ["remember"] });
    expect(namesFor(store)).toEqual(["read", "remember"]);
    expect((await store.skills.list("acme"))[1]).toMatchObject({ skill: "notes", title: "Notes", instructions: "Note." });
    const again = store.skills.create("acme", { skill: "notes", title: "Other", instructions: "", tools: [] });
    await expect(again).rejects.toMatchObject({ code: "catalogue_refused", message: expect.stringContaining("skills set notes") });
    await store.skills.remove("acme", "notes");
    expect(namesFor(store)).toEqual(["read"]);
    expect(await store.enablement.listForAgent("acme", "helper")).toEqual([
      { tool: "read", source: "manual", skill: undefined, enabled: true },
    ]);
  });

  it("switches a tool off for an agent although a skill needs it, and back", async () => {
    const of = { tenant: "acme", agent: "helper" };
    await store.agents.create("acme", agent);
    await store.skills.create("acme", { skill: "letters", title: "Letters", instructions: "Write.", tools: ["write"] });
    await store.skills.setForAgent({ ...of, skill: "letters" }, true);
    await store.enablement.setForAgent(of, ["write"], false);
    expect(namesFor(store)).toEqual([]);
    await store.enablement.setForAgent(of, ["write"], undefined);
    expect(namesFor(store)).toEqual(["write"]);
  });

  it("lets a feature of the agent trump enablement", async () => {
    await store.agents.create("acme", agent, ["remember", "read"]);
    await store.agents.change("acme", "helper", { features: { memory: false } });
    expect(namesFor(store)).toEqual(["read"]);
    expect(whyFor("remember")).toContain('The feature "memory" is switched off.');
    await store.agents.change("acme", "helper", { features: { knowledge: false }, acceptsAgents: true });
    expect((await store.agents.list("acme"))[0]).toMatchObject({ features: { memory: false, knowledge: false }, acceptsAgents: true });
    expect(store.visibility.acceptsAgentChannel("acme", "helper")).toBe(true);
    await store.agents.change("acme", "helper", { features: { memory: true } });
    expect(namesFor(store)).toEqual(["read", "remember"]);
  });

  it("takes opt-in and opt-out of the default tenant for all that say nothing themselves", async () => {
    const nobody = { agent: undefined as never };
    await store.enablement.setForTenant("default", ["picture"], true);
    await store.enablement.setForTenant("default", ["write"], false);
    expect(namesFor(store, nobody)).toEqual(["picture", "read", "remember"]);
    await store.enablement.setForTenant("acme", ["picture"], false);
    await store.enablement.setForTenant("acme", ["write"], true);
    expect(namesFor(store, nobody)).toEqual(["read", "remember", "write"]);
    expect(namesFor(store, { ...nobody, tenant: "other" })).toEqual(["picture", "read", "remember"]);
    await store.enablement.setForTenant("acme", ["picture"], undefined);
    expect(namesFor(store, nobody)).toContain("picture");
  });

  it("tells an operator what is misconfigured, and a person without the permission nothing", async () => {
    await store.agents.create("acme", agent, ["mail"]);
    expect(whyFor("mail")).toContain("It is misconfigured: set the secret MAIL_KEY.");
    const scope = engineOn(store).scope({ ...person, permissions: [], agent: "helper" }, { session: "s" });
    expect(scope.survey()).toEqual([]);
    expect(scope.why("mail").text).toContain("There is no tool named");
  });

  it("resolves overrides of all tenants and of the tenant, which only narrow", async () => {
    const code = engineOn(store).snapshot();
    const of = { tenant: "acme", by: "ann", code };
    await store.tools.putOverride({ ...of, tenant: "default" }, { tool: "read", title: "Read it", approval: "always_ask" });
    await store.tools.putOverride(of, { tool: "read", description: "Reads what acme wrote.", limits: { timeoutMs: 1000 } });
    const engine = engineOn(store);
    const read = (tenant: string) => engine.scope({ ...person, tenant }, { session: "s" }).find("read");
    expect(read("acme")).toMatchObject({ title: "Read it", description: "Reads what acme wrote." });
    expect(read("other")).toMatchObject({ title: "Read it", description: "The tool read." });
    expect((await engine.scope(person, { session: "s" }).invokeNamed("read", {})).status).toBe("pending");
    for (const wider of [{ limits: { timeoutMs: 3_000_000 } }, { description: "Hidden\u200b text." }])
      await expect(store.tools.putOverride(of, { tool: "read", ...wider })).rejects.toMatchObject({ code: "definition_invalid" });
    await store.tools.removeOverride("acme", "read");
    expect(read("acme")?.description).toBe("The tool read.");
  });

  it("lists a tenant's own tool to that tenant, and a call says that nothing runs it", async () => {
    const engine = engineOn(store);
    const of = { tenant: "acme", by: "ann", code: engine.snapshot() };
    await store.tools.putOwn(of, quote);
    const scope = engine.scope(person, { session: "s" });
    expect(scope.find("quote")).toMatchObject({ title: "Quote", origin: { kind: "tenant" }, inputSchema: { required: ["euros"] } });
    expect(await scope.invokeNamed("quote", { euros: "x" })).toMatchObject({ status: "failed", error: { code: "invalid_input" } });
    expect(await scope.invokeNamed("quote", { euros: 5 })).toMatchObject({ status: "failed", error: { toolCode: "not_executable" } });
    expect(engine.scope({ ...person, tenant: "other" }, { session: "s" }).find("quote")).toBeUndefined();
    await expect(store.tools.putOwn(of, { ...quote, tool: "read" })).rejects.toMatchObject({ code: "duplicate_tool" });
    await expect(store.tools.putOwn(of, { ...quote, inputSchema: { type: "string" } })).rejects.toMatchObject({ code: "schema_refused" });
    await store.tools.removeOwn("acme", "quote");
    expect(scope.find("quote")).toBeUndefined();
  });

  it("runs a tenant's own tool with the executor that is registered", async () => {
    const tenantToolExecutor = { effects: () => ({}), run: async (tool: TenantTool) => ({ text: `ran ${tool.tool}` }) };
    const engine = createEngine({ visibility: store.visibility, tenantTools: store.tenantTools, tenantToolExecutor });
    await store.tools.putOwn({ tenant: "acme", by: "ann", code: engine.snapshot() }, quote);
    expect(await engine.scope(person, { session: "s" }).invokeNamed("quote", { euros: 5 })).toMatchObject({
      status: "done",
      output: { text: "ran quote" },
    });
  });

  it("keeps every schema that a tenant's tool had, by content", async () => {
    const of = { tenant: "acme", by: "ann", code: engineOn(store).snapshot() };
    const other = { ...quote.inputSchema, description: "In euros." };
    for (const inputSchema of [quote.inputSchema, quote.inputSchema, other, quote.inputSchema])
      await store.tools.putOwn(of, { ...quote, inputSchema });
    const versions = await store.tools.versions("acme", "quote");
    expect(versions.map(({ version, inputSchema, createdBy }) => ({ version, inputSchema, createdBy }))).toEqual([
      { version: 3, inputSchema: quote.inputSchema, createdBy: "ann" },
      { version: 2, inputSchema: other, createdBy: "ann" },
      { version: 1, inputSchema: quote.inputSchema, createdBy: "ann" },
    ]);
    expect(await store.tools.versions("other", "quote")).toEqual([]);
  });

  it("answers a name that is not there or cannot be one with what to do", async () => {
    await store.agents.create("acme", agent);
    await expect(store.agents.create("acme", agent)).rejects.toMatchObject({ code: "catalogue_refused" });
    await expect(store.agents.create("acme", { ...agent, agent: "../x" })).rejects.toMatchObject({ code: "catalogue_refused" });
    const missing = { tenant: "other", agent: "helper" };
    for (const attempt of [
      () => store.agents.change("other", "helper", { restricted: false }),
      () => store.enablement.setForAgent(missing, ["read"], true),
      () => store.enablement.listForAgent("other", "helper"),
      () => store.skills.setForAgent({ ...missing, skill: "none" }, true),
      () => store.skills.remove("acme", "none"),
      () => store.tools.removeOwn("acme", "none"),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "catalogue_not_found" });
  });

  it("answers another tenant with these identifiers exactly as if there were none (R-TN-3)", async () => {
    const code = engineOn(store).snapshot();
    await store.agents.create("acme", agent, ["read"]);
    await store.skills.create("acme", { skill: "letters", title: "Letters", instructions: "Write.", tools: ["read"] });
    await store.tools.putOwn({ tenant: "acme", by: "ann", code }, quote);
    await store.tools.putOverride({ tenant: "acme", by: "ann", code }, { tool: "read", title: "Read it" });
    const before = await Promise.all([
      store.agents.list("acme"),
      store.skills.list("acme"),
      store.enablement.listForAgent("acme", "helper"),
    ]);
    const attempts: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
      ["helper", (name) => store.agents.change("other", name, { restricted: false })],
      ["helper", (name) => store.enablement.setForAgent({ tenant: "other", agent: name }, ["read"], false)],
      ["helper", (name) => store.enablement.listForAgent("other", name)],
      ["letters", (name) => store.skills.remove("other", name)],
      ["helper", (name) => store.skills.setForAgent({ tenant: "other", agent: name, skill: "letters" }, true)],
      ["quote", (name) => store.tools.removeOwn("other", name)],
      ["read", (name) => store.tools.removeOverride("other", name)],
      ["quote", (name) => store.tools.versions("other", name)],
      [
        "quote",
        async (name) =>
          engineOn(store)
            .scope({ ...person, tenant: "other" }, { session: "s" })
            .find(name),
      ],
    ];
    const answerTo = async (name: string, attempt: (name: string) => Promise<unknown>) => {
      const answer = await attempt(name).then(
        (value) => ({ value }),
        (error: Error & { code?: string }) => ({ code: error.code, message: error.message.replaceAll(name, "NAME") }),
      );
      return JSON.stringify(answer);
    };
    for (const [name, attempt] of attempts) expect(await answerTo(name, attempt)).toBe(await answerTo("missing", attempt));
    expect(await Promise.all([store.agents.list("other"), store.skills.list("other")])).toEqual([[], []]);
    expect(
      await Promise.all([store.agents.list("acme"), store.skills.list("acme"), store.enablement.listForAgent("acme", "helper")]),
    ).toEqual(before);
  });

  it("counts a change whoever makes it, also without this code", async () => {
    const revision = async () =>
      (
        await test.database.asSystem((query) =>
          query
            .selectFrom("toolwright.revisions")
            .select("revision")
            .where("tenant", "=", "acme")
            .where("area", "=", "catalogue")
            .executeTakeFirst(),
        )
      )?.revision ?? 0;
    await store.agents.create("acme", agent, ["read"]);
    const before = await revision();
    await test.database.asSystem((query) => sql`delete from toolwright.agents where tenant = 'acme'`.execute(query));
    expect(await revision()).toBeGreaterThan(before);
  });
});

describe("two processes on one server", () => {
  let test: TestDatabase;
  let there: Database;
  const stores: CatalogueStore[] = [];
  beforeAll(async () => {
    test = await openTestDatabase("server");
    there = await test.reopen();
    for (const database of [test.database, there]) stores.push(await createCatalogueStore(database, { process: "p1" }));
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await test.cleanup();
  });
  const seen = (index: number) => stores[index]?.visibility.agentTools("acme", "helper");

  it("see each other's changes within 100 ms, and their own at once", async () => {
    const [here] = stores as [CatalogueStore];
    await here.agents.create("acme", agent);
    await vi.waitFor(() => expect(seen(1)).toEqual(new Set()), { timeout: 5_000, interval: 5 });
    const waits: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const tool = `tool_${round}`;
      await here.enablement.setForAgent({ tenant: "acme", agent: "helper" }, [tool], true);
      expect(seen(0)?.has(tool)).toBe(true);
      const written = performance.now();
      await vi.waitFor(() => expect(seen(1)?.has(tool)).toBe(true), { timeout: 5_000, interval: 1 });
      waits.push(performance.now() - written);
    }
    expect(waits.sort((a, b) => a - b)[5]).toBeLessThan(100);
  });

  it("see a change whose notice was lost within 5 s", async () => {
    await test.database.asTenant("acme", (query) =>
      sql`insert into toolwright.agent_tools (tenant, agent, tool, source, enabled) values ('acme', 'helper', 'quiet', 'manual', true)`.execute(
        query,
      ),
    );
    for (const index of [0, 1]) await vi.waitFor(() => expect(seen(index)?.has("quiet")).toBe(true), { timeout: 8_000, interval: 20 });
  });

  it("end with the same answer after writing the same rows at once", async () => {
    const of = { tenant: "acme", agent: "helper" };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]?.enablement.setForAgent(of, ["contended"], index % 3 === 0)),
    );
    const listed = await stores[0]?.enablement.listForAgent("acme", "helper");
    const truth = listed?.find(({ tool }) => tool === "contended")?.enabled;
    for (const index of [0, 1]) await vi.waitFor(() => expect(seen(index)?.has("contended")).toBe(truth), { timeout: 5_000, interval: 5 });
  });
});
