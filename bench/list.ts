import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import { z } from "zod";
import { makeFacts } from "../packages/postgres/src/catalogue/tenant-facts.ts";
import { createTenantTools, createVisibility } from "../packages/postgres/src/catalogue/visibility.ts";
import { median, medianRatio, type Row, timeRounds } from "./measure.ts";

const count = 1000;
const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
const principal: Principal = {
  tenant: "bench",
  agent: "helper",
  actor: { kind: "agent", id: "helper" },
  permissions: ["catalogue:explain"],
  door: "mcp",
};
const tools = names.map((name) =>
  defineTool({
    name,
    description: `Does the work of ${name}.`,
    input: z.object({ path: z.string(), lines: z.int().nullish() }),
    output: z.object({ text: z.string() }),
    run: () => ({ text: "" }),
  }),
);

/** As the store reads it: an agent that has only what is enabled, by hand or by a skill, and a tenant that changed ten tools. */
function storedFacts() {
  const tool = (name: string) => ({
    tenant: "bench",
    tool: name,
    kind: "system_override" as const,
    title: `${name} here`,
    description: null,
  });
  const unchanged = {
    tool_group: null,
    approval: null,
    permission: null,
    visibility: {},
    limits: {},
    input_schema: null,
    output_schema: null,
    execution: null,
  };
  const source = (name: string, index: number) => {
    const bySkill = index % 2 === 0;
    return {
      tenant: "bench",
      agent: "helper",
      tool: name,
      source: bySkill ? ("skill" as const) : ("manual" as const),
      skill: bySkill ? "s" : null,
      enabled: true,
    };
  };
  return makeFacts({
    revisions: [{ tenant: "bench", revision: 1 }],
    tools: names.slice(0, 10).map((name) => ({ ...tool(name), ...unchanged })),
    tenantTools: names.slice(0, 100).map((name) => ({ tenant: "bench", tool: name, enabled: true })),
    agents: [{ tenant: "bench", agent: "helper", features: {}, restricted: true, accepts_agents: false }],
    sources: names.map(source),
  });
}

/** Listing what an agent may use when 1,000 tools are enabled for it, beside a filter over plain objects. */
export async function measure(): Promise<readonly Row[]> {
  const facts = storedFacts();
  const of = (tenant: string) => facts.get(tenant);
  const engine = createEngine({ tools, visibility: createVisibility(of), tenantTools: createTenantTools(of, () => () => {}) });
  const scope = engine.scope(principal, { session: "bench" });
  const enabled = new Set(names);
  const plain = scope.list();
  if (plain.length !== count) throw new Error(`${plain.length} tools are listed instead of ${count}.`);
  const times = await timeRounds({
    list: () => scope.list(),
    survey: () => scope.survey(),
    filter: () => plain.filter(({ name }) => enabled.has(name)).map((tool) => ({ ...tool })),
  });
  const row = (name: string, side: "list" | "survey", most?: number): Row => {
    const ours = median(times[side]) / 1e6;
    return {
      name,
      ours,
      peer: median(times.filter) / 1e6,
      peerName: "array filter",
      ratio: medianRatio(times[side], times.filter),
      unit: "ms p50",
      target: most === undefined ? "none" : `under ${most} ms`,
      holds: most === undefined || ours < most,
    };
  };
  return [row("list, 1,000 tools of an agent", "list", 5), row("the same with every reason", "survey")];
}
