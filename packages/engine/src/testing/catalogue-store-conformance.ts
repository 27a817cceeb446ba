import assert from "node:assert/strict";
import { toCodeTools } from "../catalogue/code-tools.ts";
import { createEngine } from "../engine.ts";
import type { CatalogueStore } from "../ports/catalogue-store.ts";
import {
  agent,
  assertIncludes,
  authorOn,
  callerOn,
  engineOn,
  helper,
  letters,
  namesFor,
  type OpenCatalogueStore,
  person,
  quote,
  storeCases,
  whyFor,
} from "./catalogue-workbench.ts";
import type { ConformanceCase } from "./conformance-case.ts";

const manual = (tool: string, enabled = true) => ({ tool, source: "manual", skill: undefined, enabled });
const missing = { code: "catalogue_not_found" };
const refused = { code: "catalogue_refused" };

/** What every store of who has which tools must do. */
export function catalogueStoreConformance(open: () => Promise<OpenCatalogueStore>): readonly ConformanceCase[] {
  return [agentCases, skillCases, tenantCases, overrideCases, ownToolCases, refusals].flatMap((cases) => storeCases(open, cases));
}

const agentCases: Readonly<Record<string, (store: CatalogueStore) => Promise<void>>> = {
  async "shows a restricted agent what was enabled, and says by whom"(store) {
    await store.agents.create("acme", agent, ["write"]);
    assert.deepEqual(namesFor(store), ["write"]);
    await store.enablement.setForAgent(helper, ["read"], true);
    assert.deepEqual(namesFor(store), ["read", "write"]);
    const made = { tool: "write", source: "default", skill: undefined, enabled: true };
    assert.deepEqual(await store.enablement.listForAgent("acme", "helper"), [manual("read"), made]);
    await assertIncludes(whyFor(store, "mail"), 'It is not enabled for agent "helper"');
    assert.equal(namesFor(store, { ...helper, tenant: "other" }).length, 3);
  },
  async "hides from an agent that is not restricted only what was switched off"(store) {
    await store.agents.create("acme", { ...agent, restricted: false });
    await store.enablement.setForAgent(helper, ["write"], false);
    assert.deepEqual(namesFor(store), ["read", "remember"]);
    await assertIncludes(whyFor(store, "write"), 'It is switched off for agent "helper"');
  },
  async "leaves an agent that it does not hold its tools, also once it holds others"(store) {
    const before = namesFor(store, { agent: "ghost" });
    assert.notDeepEqual(before, []);
    await store.agents.create("acme", agent);
    assert.deepEqual(namesFor(store, { agent: "ghost" }), before);
  },
  async "lets a feature of the agent trump enablement"(store) {
    await store.agents.create("acme", agent, ["remember", "read"]);
    await store.agents.change("acme", "helper", { features: { memory: false } });
    assert.deepEqual(namesFor(store), ["read"]);
    await assertIncludes(whyFor(store, "remember"), 'The feature "memory" is switched off.');
    await store.agents.change("acme", "helper", { features: { knowledge: false }, acceptsAgents: true });
    const changed = { ...agent, features: { memory: false, knowledge: false }, acceptsAgents: true };
    assert.deepEqual(await store.agents.list("acme"), [changed]);
    assert.equal(store.visibility.acceptsAgentChannel("acme", "helper"), true);
    await store.agents.change("acme", "helper", { features: { memory: true }, name: undefined as never });
    assert.deepEqual(namesFor(store), ["read", "remember"]);
    assert.equal((await store.agents.list("acme"))[0]?.name, "Helper");
  },
  async "keeps what an agent is, and takes back what is empty"(store) {
    const settings = { instructions: "# Help\n\nBe short.\n", model: "openai/gpt-5", limits: { steps: 3, callsAtOnce: 2 } };
    await store.agents.create("acme", { ...agent, ...settings });
    await store.agents.create("acme", { ...agent, agent: "plain", instructions: "", model: "", limits: {} });
    assert.deepEqual(await store.agents.list("acme"), [
      { ...agent, ...settings },
      { ...agent, agent: "plain" },
    ]);
    await store.agents.change("acme", "helper", { model: "", limits: { callsPerStep: 4, steps: 5 }, clear: ["callsAtOnce", "tokens"] });
    const changed = { ...agent, instructions: settings.instructions, limits: { callsPerStep: 4, steps: 5 } };
    assert.deepEqual((await store.agents.list("acme"))[0], changed);
    await store.agents.change("acme", "helper", { limits: {} });
    assert.deepEqual((await store.agents.list("acme"))[0], changed);
    await store.agents.change("acme", "helper", { instructions: "", clear: ["callsPerStep", "steps"] });
    assert.deepEqual((await store.agents.list("acme"))[0], agent);
    for (const wrong of [{ instructions: "x".repeat(100_001) }, { model: "gpt" }, { model: "openai/ x" }]) {
      await assert.rejects(store.agents.create("acme", { ...agent, agent: "wrong", ...wrong }), refused);
      await assert.rejects(store.agents.change("acme", "helper", wrong), refused);
    }
    assert.deepEqual((await store.agents.list("acme"))[0], agent);
  },
  async "lists agents by name"(store) {
    for (const name of ["zoe", "adam", "1st"]) await store.agents.create("acme", { ...agent, agent: name });
    assert.deepEqual(
      (await store.agents.list("acme")).map((each) => each.agent),
      ["1st", "adam", "zoe"],
    );
  },
  async "removes an agent with its rows, which one that is made anew does not inherit"(store) {
    await store.agents.create("acme", agent, ["read"]);
    await store.agents.create("acme", { ...agent, agent: "stays" }, ["read"]);
    await store.skills.create("acme", { ...letters, tools: ["write"] });
    await store.skills.setForAgent({ ...helper, skill: "letters" }, true);
    const belongings = {
      schedules: [],
      hooks: [],
      jobs: [],
      keys: [],
      grants: [],
      approvals: [],
      turns: [],
      rooms: [],
      memories: 0,
      secrets: 0,
      tools: 1,
      skills: 1,
    };
    assert.deepEqual(await store.agents.belongings("acme", "helper", 1), belongings);
    assert.deepEqual(await store.agents.remove("acme", "helper", { by: person.actor, at: 1 }), belongings);
    assert.deepEqual(
      (await store.agents.list("acme")).map((each) => each.agent),
      ["stays"],
    );
    assert.deepEqual((await store.skills.list("acme"))[0]?.agents, []);
    await store.agents.create("acme", agent);
    assert.deepEqual([namesFor(store), namesFor(store, { agent: "stays" })], [[], ["read"]]);
  },
  async "tells an operator what is misconfigured, and a person without the permission nothing"(store) {
    await store.agents.create("acme", agent, ["mail"]);
    await assertIncludes(whyFor(store, "mail"), "It is misconfigured: set the secret MAIL_KEY.");
    const scope = callerOn(store, { permissions: [], agent: "helper" });
    assert.deepEqual(scope.survey(), []);
    await assertIncludes(scope.why("mail").text, "There is no tool named");
  },
};

const skillCases: typeof agentCases = {
  async "enables the tools of a skill, and takes them back with it and nothing else"(store) {
    await store.agents.create("acme", agent);
    await store.skills.create("acme", letters);
    await store.skills.create("acme", { skill: "notes", title: "Notes", instructions: "Note.", tools: ["write", "remember"] });
    for (const skill of ["notes", "letters"]) await store.skills.setForAgent({ ...helper, skill }, true);
    await store.enablement.setForAgent(helper, ["read"], true);
    assert.deepEqual(namesFor(store), ["read", "remember", "write"]);
    const why = callerOn(store, { agent: "helper" }).survey();
    const check = why.find(({ tool }) => tool.name === "write")?.admission.checks[2];
    assert.equal(check?.reason, 'It is enabled for agent "helper": it is needed by skill "letters", "notes".');
    await store.skills.setForAgent({ ...helper, skill: "letters" }, false);
    assert.deepEqual(namesFor(store), ["read", "remember", "write"]);
    await store.skills.change("acme", "notes", { tools: ["remember"] });
    assert.deepEqual(namesFor(store), ["read", "remember"]);
    const notes = { skill: "notes", title: "Notes", instructions: "Note.", tools: ["remember"], agents: ["helper"] };
    assert.deepEqual((await store.skills.list("acme"))[1], notes);
    await store.skills.remove("acme", "notes");
    assert.deepEqual(namesFor(store), ["read"]);
    assert.deepEqual(await store.enablement.listForAgent("acme", "helper"), [manual("read")]);
  },
  async "gives nothing by a skill that was removed and made anew"(store) {
    await store.agents.create("acme", agent);
    await store.skills.create("acme", letters);
    await store.skills.setForAgent({ ...helper, skill: "letters" }, true);
    await store.skills.remove("acme", "letters");
    await store.skills.create("acme", letters);
    assert.deepEqual(namesFor(store), []);
  },
  async "switches a tool off for an agent although a skill needs it, and back"(store) {
    await store.agents.create("acme", agent);
    await store.skills.create("acme", letters);
    await store.skills.setForAgent({ ...helper, skill: "letters" }, true);
    await store.enablement.setForAgent(helper, ["write"], false);
    assert.deepEqual(namesFor(store), ["read"]);
    await store.enablement.setForAgent(helper, ["write"], undefined);
    assert.deepEqual(namesFor(store), ["read", "write"]);
  },
};

const tenantCases: typeof agentCases = {
  async "takes opt-in and opt-out of the default tenant for all that say nothing themselves"(store) {
    const nobody = { agent: undefined as never };
    await store.enablement.setForTenant("default", ["picture"], true);
    await store.enablement.setForTenant("default", ["write"], false);
    assert.deepEqual(namesFor(store, nobody), ["picture", "read", "remember"]);
    await store.enablement.setForTenant("acme", ["picture"], false);
    await store.enablement.setForTenant("acme", ["write"], true);
    assert.deepEqual(namesFor(store, nobody), ["read", "remember", "write"]);
    assert.deepEqual(namesFor(store, { ...nobody, tenant: "other" }), ["picture", "read", "remember"]);
    await store.enablement.setForTenant("acme", ["picture"], undefined);
    assert.ok(namesFor(store, nobody).includes("picture"));
  },
  async "calls back after a change, and no more once that was stopped"(store) {
    let calls = 0;
    const stop = store.tenantTools.onChange(() => {
      calls += 1;
    });
    await store.tools.putOwn(authorOn(store), quote);
    assert.equal(calls, 1);
    stop();
    await store.tools.removeOwn("acme", "quote");
    assert.equal(calls, 1);
  },
  async "gives the same rows of tools as long as they are equal"(store) {
    await store.tools.putOwn(authorOn(store), quote);
    const before = store.tenantTools.of("acme");
    await store.enablement.setForTenant("acme", ["write"], false);
    assert.equal(store.tenantTools.of("acme"), before);
    await store.tools.putOwn(authorOn(store), { ...quote, title: "Offer" });
    assert.notEqual(store.tenantTools.of("acme"), before);
  },
  async "rejects with tenant_not_found where there is no such tenant"(store) {
    const noTenant = { code: "tenant_not_found" };
    await assert.rejects(store.agents.create("nobody", agent), noTenant);
    await assert.rejects(store.agents.list("nobody"), noTenant);
    await assert.rejects(store.enablement.setForTenant("nobody", ["read"], true), noTenant);
    assert.equal(store.visibility.tenantRow("nobody", "read"), undefined);
  },
};

const overrideCases: typeof agentCases = {
  async "resolves overrides of all tenants and of the tenant, which only narrow"(store) {
    const of = authorOn(store);
    await store.tools.putOverride({ ...of, tenant: "default" }, { tool: "read", title: "Read it", approval: "always_ask" });
    await store.tools.putOverride(of, { tool: "read", description: "Reads what acme wrote.", limits: { timeoutMs: 1000 } });
    const read = (tenant: string) => {
      const found = callerOn(store, { tenant }).find("read");
      return [found?.title, found?.description];
    };
    assert.deepEqual(read("acme"), ["Read it", "Reads what acme wrote."]);
    assert.deepEqual(read("other"), ["Read it", "The tool read."]);
    assert.equal((await callerOn(store).invokeNamed("read", {})).status, "pending");
    for (const wider of [{ limits: { timeoutMs: 3_000_000 } }, { description: "Hidden\u200b text." }])
      await assert.rejects(store.tools.putOverride(of, { tool: "read", ...wider }), { code: "definition_invalid" });
    await assert.rejects(store.tools.putOverride(of, { tool: "none", title: "None" }), missing);
    await store.tools.removeOverride("acme", "read");
    assert.deepEqual(read("acme"), ["Read it", "The tool read."]);
  },
  async "changes an override as it is, and leaves it where the change is refused"(store) {
    const of = authorOn(store);
    await store.tools.changeOverride(of, "read", (current) => ({ ...current, title: "First" }));
    const changed = await store.tools.changeOverride(of, "read", (current) => ({ ...current, limits: { timeoutMs: 10 } }));
    assert.deepEqual([changed.title, changed.limits], ["First", { timeoutMs: 10 }]);
    const wider = store.tools.changeOverride(of, "read", (current) => ({ ...current, limits: { timeoutMs: 3_000_000 } }));
    await assert.rejects(wider, { code: "definition_invalid" });
    const { overrides, custom } = await store.tools.rows("acme");
    assert.deepEqual([overrides.length, overrides[0]?.title, overrides[0]?.limits, custom], [1, "First", { timeoutMs: 10 }, []]);
  },
};

const ownToolCases: typeof agentCases = {
  async "lists a tenant's own tool to that tenant, and a call says that nothing runs it"(store) {
    const engine = engineOn(store);
    const of = { tenant: "acme", by: "ann", code: toCodeTools(engine.snapshot()) };
    await store.tools.putOwn(of, quote);
    const scope = engine.scope(person, { session: "s" });
    assert.equal(scope.find("quote")?.origin.kind, "tenant");
    const [malformed, called] = [await scope.invokeNamed("quote", { euros: "x" }), await scope.invokeNamed("quote", { euros: 5 })];
    assert.equal(malformed.status === "failed" && malformed.error.code, "invalid_input");
    assert.equal(called.status === "failed" && called.error.toolCode, "not_executable");
    assert.equal(engine.scope({ ...person, tenant: "other" }, { session: "s" }).find("quote"), undefined);
    await assert.rejects(store.tools.putOwn(of, { ...quote, tool: "read" }), { code: "duplicate_tool" });
    await assert.rejects(store.tools.putOwn(of, { ...quote, inputSchema: { type: "string" } }), { code: "schema_refused" });
    await store.tools.removeOwn("acme", "quote");
    assert.equal(scope.find("quote"), undefined);
  },
  async "runs a tenant's own tool with the executor that is registered"(store) {
    const tenantToolExecutor = { effects: () => ({}), run: async ({ tool }: typeof quote) => ({ text: `ran ${tool}` }) };
    const engine = createEngine({ visibility: store.visibility, tenantTools: store.tenantTools, tenantToolExecutor });
    await store.tools.putOwn({ tenant: "acme", by: "ann", code: toCodeTools(engine.snapshot()) }, quote);
    const result = await engine.scope(person, { session: "s" }).invokeNamed("quote", { euros: 5 });
    assert.deepEqual(result.status === "done" && result.output, { text: "ran quote" });
  },
  async "takes what enabled a tool of the tenant along with it, and leaves what switched it off"(store) {
    await store.tools.putOwn(authorOn(store), quote);
    await store.agents.create("acme", agent);
    await store.agents.create("acme", { ...agent, agent: "writer" });
    await store.enablement.setForAgent(helper, ["quote"], true);
    await store.enablement.setForAgent({ ...helper, agent: "writer" }, ["quote"], false);
    await store.enablement.setForTenant("acme", ["quote"], true);
    await store.tools.removeOwn("acme", "quote");
    assert.deepEqual(await store.enablement.listForAgent("acme", "helper"), []);
    assert.deepEqual(await store.enablement.listForAgent("acme", "writer"), [manual("quote", false)]);
    assert.equal(store.visibility.tenantRow("acme", "quote"), undefined);
  },
  async "keeps every schema that a tenant's tool had, by content"(store) {
    const of = authorOn(store);
    const other = { ...quote.inputSchema, description: "In euros." };
    for (const inputSchema of [quote.inputSchema, quote.inputSchema, other, quote.inputSchema])
      await store.tools.putOwn(of, { ...quote, inputSchema });
    const versions = await store.tools.versions("acme", "quote");
    assert.deepEqual(
      versions.map(({ version, inputSchema, createdBy }) => [version, inputSchema, createdBy]),
      [
        [3, quote.inputSchema, "ann"],
        [2, other, "ann"],
        [1, quote.inputSchema, "ann"],
      ],
    );
    assert.deepEqual(await store.tools.versions("other", "quote"), []);
  },
};

const refusals: typeof agentCases = {
  async "answers a name that is not there or cannot be one with what to do"(store) {
    await store.agents.create("acme", agent);
    await store.skills.create("acme", letters);
    await assert.rejects(store.agents.create("acme", agent), { ...refused, message: /agents set helper/ });
    await assert.rejects(store.skills.create("acme", letters), { ...refused, message: /skills set letters/ });
    for (const name of ["../x", "", "A", "-a", "a".repeat(64), "__proto__", "a\u0000"]) {
      await assert.rejects(store.agents.create("acme", { ...agent, agent: name }), refused);
      await assert.rejects(store.skills.create("acme", { ...letters, skill: name }), refused);
    }
    const nobody = { ...helper, tenant: "other" };
    await assert.rejects(store.agents.change("other", "helper", { restricted: false }), missing);
    await assert.rejects(store.agents.belongings("other", "helper", 1), missing);
    await assert.rejects(store.agents.remove("other", "helper", { by: person.actor, at: 1 }), missing);
    await assert.rejects(store.enablement.setForAgent(nobody, ["read"], true), missing);
    await assert.rejects(store.enablement.listForAgent("other", "helper"), missing);
    await assert.rejects(store.skills.setForAgent({ ...helper, skill: "none" }, true), missing);
    await assert.rejects(store.skills.setForAgent({ ...nobody, skill: "letters" }, true), missing);
    await assert.rejects(store.skills.change("other", "letters", { title: "x" }), missing);
    await assert.rejects(store.skills.remove("acme", "none"), missing);
    await assert.rejects(store.tools.removeOwn("acme", "none"), missing);
    await assert.rejects(store.tools.removeOverride("acme", "none"), missing);
  },
  async "answers another tenant with these identifiers exactly as if there were none (R-TN-3)"(store) {
    await store.agents.create("acme", agent, ["read"]);
    await store.skills.create("acme", letters);
    await store.tools.putOwn(authorOn(store), quote);
    await store.tools.putOverride(authorOn(store), { tool: "read", title: "Read it" });
    const look = () =>
      Promise.all([
        store.agents.list("acme"),
        store.skills.list("acme"),
        store.enablement.listForAgent("acme", "helper"),
        store.tools.rows("acme"),
      ]);
    const before = await look();
    const attempts: readonly (readonly [string, (name: string) => Promise<unknown>])[] = [
      ["helper", (name) => store.agents.change("other", name, { restricted: false })],
      ["helper", (name) => store.enablement.setForAgent({ tenant: "other", agent: name }, ["read"], false)],
      ["helper", (name) => store.enablement.listForAgent("other", name)],
      ["letters", (name) => store.skills.remove("other", name)],
      ["helper", (name) => store.skills.setForAgent({ tenant: "other", agent: name, skill: "letters" }, true)],
      ["quote", (name) => store.tools.removeOwn("other", name)],
      ["read", (name) => store.tools.removeOverride("other", name)],
      ["quote", (name) => store.tools.versions("other", name)],
      ["quote", async (name) => callerOn(store, { tenant: "other" }).find(name)],
    ];
    for (const [name, attempt] of attempts) assert.equal(await answerTo(name, attempt), await answerTo("missing", attempt));
    assert.deepEqual(await Promise.all([store.agents.list("other"), store.skills.list("other")]), [[], []]);
    assert.deepEqual(await look(), before);
  },
};

async function answerTo(name: string, attempt: (name: string) => Promise<unknown>): Promise<string> {
  const answer = await attempt(name).then(
    (value) => ({ value }),
    (error: Error & { code?: string }) => ({ code: error.code, message: error.message.replaceAll(name, "NAME") }),
  );
  return JSON.stringify(answer);
}
