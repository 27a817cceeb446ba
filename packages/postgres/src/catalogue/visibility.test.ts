import { createEngine, defineTool, type Principal, type Scope } from "@toolwright/engine";
import { createMemorySecretStore, createTenantTools, createVisibility } from "@toolwright/engine/ports";
import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";
import type { CatalogueRows } from "./read-catalogue.ts";
import { makeFacts } from "./tenant-facts.ts";

const make = (name: string, more: object = {}) =>
  defineTool({ name, description: `The tool ${name}.`, input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const tools = [
  make("plain"),
  make("chosen", { visibility: { optIn: true } }),
  make("memory_save", { visibility: { feature: "memory" } }),
  make("mail", { effects: { secrets: ["MAIL_KEY"] } }),
  make("data", { permission: "data:read" }),
  make("room_end", { visibility: { harness: "room" } }),
  make("agent_reviewer", { visibility: { agentChannel: true } }),
  make("for_other", { visibility: { tenants: ["other"] } }),
];
const tool = fc.constantFrom(...tools.map(({ name }) => name), "own", "gone");
const tenant = fc.constantFrom("acme", "other", "default");
const agent = fc.constantFrom("helper", "reviewer");
const own = { type: "object", properties: {}, additionalProperties: false } as const;
const row = { title: null, description: null, tool_group: null, approval: null, permission: null, visibility: {}, limits: {} };

const toolRow = fc
  .record({ tenant, tool, custom: fc.boolean(), optIn: fc.boolean(), ask: fc.boolean() })
  .map(({ custom, optIn, ask, ...of }) => ({
    ...row,
    ...of,
    kind: custom ? ("tenant_custom" as const) : ("system_override" as const),
    approval: ask ? ("always_ask" as const) : custom ? ("auto" as const) : null,
    visibility: optIn ? { optIn } : {},
    ...(custom && { title: "Own", description: "An own tool.", tool_group: "own" }),
    input_schema: custom ? own : null,
    output_schema: custom ? own : null,
    execution: null,
  }));
const rows: fc.Arbitrary<CatalogueRows> = fc.record({
  revisions: fc.constant(["acme", "other", "default"].map((name) => ({ tenant: name, revision: 1 }))),
  tools: fc.uniqueArray(toolRow, { selector: (each) => `${each.tenant} ${each.kind} ${each.tool}`, maxLength: 6 }),
  tenantTools: fc.uniqueArray(fc.record({ tenant, tool, enabled: fc.boolean() }), { selector: (each) => `${each.tenant} ${each.tool}` }),
  agents: fc.uniqueArray(
    fc.record({
      tenant,
      agent,
      restricted: fc.boolean(),
      accepts_agents: fc.boolean(),
      features: fc.constantFrom<Record<string, boolean>>({}, { memory: false }, { memory: true }),
    }),
    { selector: (each) => `${each.tenant} ${each.agent}` },
  ),
  sources: fc.array(
    fc.record({
      tenant,
      agent,
      tool,
      source: fc.constantFrom("manual" as const, "skill" as const),
      skill: fc.constantFrom("s1", null),
      enabled: fc.boolean(),
    }),
  ),
});
const principal = fc.record({
  tenant,
  agent: fc.option(fc.constantFrom("helper", "reviewer", "ghost"), { nil: undefined }),
  permissions: fc.subarray(["data:read"]),
  harness: fc.subarray(["room"]),
  attributes: fc.constantFrom<Record<string, boolean>>({}, { memory: false }),
});

function engineOn(given: CatalogueRows, secret: boolean) {
  const facts = makeFacts(given);
  const secrets = createMemorySecretStore();
  if (secret) void secrets.set({ tenant: "acme", name: "MAIL_KEY" }, "value-of-the-key");
  const of = (name: string) => facts.get(name);
  return createEngine({ tools, visibility: createVisibility(of), tenantTools: createTenantTools(of, () => () => {}), secrets });
}

it("lists what it would call and nothing else, whatever the rows", async () => {
  await fc.assert(
    fc.asyncProperty(rows, principal, fc.boolean(), async (given, { agent: name, ...by }, secret) => {
      const engine = engineOn(given, secret);
      const who: Principal = { ...by, ...(name !== undefined && { agent: name }), actor: { kind: "user", id: "ann" }, door: "cli" };
      const scope = engine.scope(who, { session: "s" });
      const listed = new Set(scope.list().map((each) => each.name));
      for (const each of [...tools.map((definition) => definition.name), "own", "gone"]) {
        const result = await scope.invokeNamed(each, {});
        const isFound = result.status !== "failed" || result.error.code !== "tool_not_found";
        expect({ tool: each, isFound }).toEqual({ tool: each, isFound: listed.has(each) });
        expect(scope.why(each).visible).toBe(listed.has(each));
      }
    }),
    { numRuns: 150 },
  );
});

it("shows nobody less for one more row that enables, nor more for one more that switches off", () => {
  fc.assert(
    fc.property(rows, fc.record({ tenant, agent, tool }), fc.boolean(), (given, of, enabled) => {
      const who: Principal = { tenant: of.tenant, agent: of.agent, permissions: [], actor: { kind: "user", id: "ann" }, door: "cli" };
      const seen = (some: CatalogueRows) =>
        new Set(
          engineOn(some, true)
            .scope(who, { session: "s" })
            .list()
            .map(({ name }) => name),
        );
      const before = seen(given);
      const after = seen({ ...given, sources: [...given.sources, { ...of, source: "manual", skill: null, enabled }] });
      const [fewer, more] = enabled ? [before, after] : [after, before];
      expect([...fewer].filter((name) => !more.has(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

it("gives a sub-agent no tool that its parent, the agent itself or its assignment has not, whatever the rows", () => {
  const person = { tenant: "acme", permissions: ["data:read"], harness: ["room"], actor: { kind: "user", id: "ann" } } as const;
  fc.assert(
    fc.property(rows, fc.subarray([...tools.map(({ name }) => name), "own"]), (given, names) => {
      const engine = engineOn(given, true);
      const namesOf = (scope: Scope) => new Set(scope.list().map(({ name }) => name));
      const parent = engine.scope(person, { session: "s" }).child({ agent: "helper", deny: { tools: ["agent_run"] } });
      const deny = { tools: ["group:agents"] };
      const child = namesOf(parent.child({ agent: "reviewer", deny, assignment: { tools: names } }));
      for (const bound of [namesOf(parent), namesOf(engine.scope({ ...person, agent: "reviewer" })), new Set(names)])
        expect([...child].filter((name) => !bound.has(name))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
