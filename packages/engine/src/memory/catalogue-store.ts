import { digest } from "../contract/digest.ts";
import { checkAgentSettings, settingsOf } from "../ports/agent-settings.ts";
import {
  type Agent,
  type AgentTool,
  type CatalogueStore,
  catalogueMissing,
  catalogueTaken,
  checkCatalogueName,
  type SchemaVersion,
  type Skill,
} from "../ports/catalogue-store.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { createTenantTools, createVisibility, keepEqualRows, type TenantFacts, toAgentFacts } from "../ports/tenant-facts.ts";
import { everyTenant, type Tenants, tenantNotFound } from "../ports/tenant-store.ts";
import type { TenantTool, TenantToolRows, ToolOverride } from "../ports/tenant-tools.ts";
import { type AgentHoldings, findHoldings, removeHoldings } from "./agent-holdings.ts";

export interface MemoryCatalogueOptions extends AgentHoldings {
  readonly clock?: Clock;
  /** Default: every name is a tenant. */
  readonly tenants?: Tenants;
}

/** Keeps in memory who has which tools. What an agent has in the other stores that are given goes when the agent is removed. */
export function createMemoryCatalogueStore(options: MemoryCatalogueOptions = {}): CatalogueStore {
  const { clock = systemClock, tenants = everyTenant } = options;
  const rows = new Map<string, Rows>();
  const facts = new Map<string, TenantFacts>();
  const listeners = new Set<() => void>();
  const read = async (tenant: string) => {
    if (!(await tenants.has(tenant))) throw tenantNotFound(tenant);
    return rows.get(tenant) ?? noRows();
  };
  const write = async <Result>(tenant: string, change: (of: Rows) => Result): Promise<Result> => {
    const of = await read(tenant);
    const result = change(of);
    rows.set(tenant, of);
    facts.set(tenant, toFacts(of, facts.get(tenant)));
    for (const listener of listeners) listener();
    return result;
  };
  return {
    visibility: createVisibility((tenant) => facts.get(tenant)),
    tenantTools: createTenantTools(
      (tenant) => facts.get(tenant),
      (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    ),
    agents: openAgents({ read, write }, options),
    enablement: openEnablement({ read, write }),
    skills: openSkills({ read, write }),
    tools: openTools({ read, write }, clock),
  };
}

interface AgentRows {
  readonly agent: Agent;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly skills: ReadonlySet<string>;
}

interface Rows {
  readonly agents: Map<string, AgentRows>;
  readonly skills: Map<string, Skill>;
  readonly tenantRows: Map<string, "on" | "off">;
  readonly overrides: Map<string, ToolOverride>;
  readonly custom: Map<string, TenantTool>;
  readonly versions: Map<string, readonly SchemaVersion[]>;
}

interface Access {
  readonly read: (tenant: string) => Promise<Rows>;
  readonly write: <Result>(tenant: string, change: (of: Rows) => Result) => Promise<Result>;
}

const noRows = (): Rows => ({
  agents: new Map(),
  skills: new Map(),
  tenantRows: new Map(),
  overrides: new Map(),
  custom: new Map(),
  versions: new Map(),
});

function openAgents({ read, write }: Access, holdings: AgentHoldings): CatalogueStore["agents"] {
  const belongings = async (tenant: string, agent: string, at: number) => {
    const { tools, skills } = findAgent(await read(tenant), agent);
    return { ...(await findHoldings(holdings, { tenant, agent, at })), tools: tools.size, skills: skills.size };
  };
  return {
    list: async (tenant) => inOrder((await read(tenant)).agents).map(({ agent }) => agent),
    async create(tenant, agent, tools = []) {
      checkCatalogueName("agent", agent.agent);
      checkAgentSettings(agent);
      await write(tenant, ({ agents }) => {
        if (agents.has(agent.agent)) throw catalogueTaken("agent", agent.agent);
        const made = tools.map((tool) => [tool, { tool, source: "default", skill: undefined, enabled: true }] as const);
        agents.set(agent.agent, { agent: toStored(agent), tools: new Map(made), skills: new Set() });
      });
    },
    async change(tenant, name, { features, limits, clear = [], ...changes }) {
      checkAgentSettings(changes);
      await write(tenant, (of) => {
        const { agent, ...rest } = findAgent(of, name);
        const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
        const kept = Object.fromEntries(Object.entries(agent.limits ?? {}).filter(([limit]) => !clear.some((each) => each === limit)));
        const both = { features: { ...agent.features, ...features }, limits: { ...kept, ...limits } };
        const changed = { ...agent, ...given, ...both, agent: name };
        of.agents.set(name, { ...rest, agent: toStored(changed) });
      });
    },
    belongings,
    async remove(tenant, agent, removal) {
      const gone = await belongings(tenant, agent, removal.at);
      await write(tenant, ({ agents }) => {
        if (!agents.delete(agent)) throw catalogueMissing("agent", agent);
      });
      await removeHoldings(holdings, { tenant, agent }, { ...removal, gone });
      return gone;
    },
  };
}

function toStored({ instructions, model, limits, ...agent }: Agent): Agent {
  return structuredClone({ ...agent, ...settingsOf({ instructions, model, limits }) });
}

function openEnablement({ read, write }: Access): CatalogueStore["enablement"] {
  return {
    setForAgent: ({ tenant, agent }, tools, enabled) =>
      write(tenant, (of) => {
        const found = findAgent(of, agent);
        const next = new Map(found.tools);
        for (const tool of tools)
          if (enabled === undefined) next.delete(tool);
          else next.set(tool, { tool, source: "manual", skill: undefined, enabled });
        of.agents.set(agent, { ...found, tools: next });
      }),
    setForTenant: (tenant, tools, enabled) =>
      write(tenant, ({ tenantRows }) => {
        for (const tool of tools)
          if (enabled === undefined) tenantRows.delete(tool);
          else tenantRows.set(tool, enabled ? "on" : "off");
      }),
    async listForAgent(tenant, agent) {
      const of = await read(tenant);
      const place = ({ tool, source, skill = "" }: AgentTool) => `${tool}\n${source}\n${skill}`;
      return [...sourcesOf(of, findAgent(of, agent))].sort((a, b) => (place(a) < place(b) ? -1 : 1));
    },
  };
}

function openSkills({ read, write }: Access): CatalogueStore["skills"] {
  const copy = (skill: Skill): Skill => ({ ...skill, tools: [...new Set(skill.tools)].sort() });
  return {
    async list(tenant) {
      const { skills, agents } = await read(tenant);
      const having = (skill: string) => inOrder(agents).flatMap((each) => (each.skills.has(skill) ? [each.agent.agent] : []));
      return inOrder(skills).map((skill) => ({ ...skill, agents: having(skill.skill) }));
    },
    async create(tenant, skill) {
      checkCatalogueName("skill", skill.skill);
      await write(tenant, ({ skills }) => {
        if (skills.has(skill.skill)) throw catalogueTaken("skill", skill.skill);
        skills.set(skill.skill, copy(skill));
      });
    },
    change: (tenant, name, changes) =>
      write(tenant, (of) => {
        const skill = findSkill(of, name);
        const { title = skill.title, instructions = skill.instructions, tools = skill.tools } = changes;
        of.skills.set(name, copy({ skill: name, title, instructions, tools }));
      }),
    remove: (tenant, name) =>
      write(tenant, (of) => {
        findSkill(of, name);
        of.skills.delete(name);
        for (const [agent, found] of of.agents) of.agents.set(agent, { ...found, skills: without(found.skills, name) });
      }),
    setForAgent: ({ tenant, agent, skill }, enabled) =>
      write(tenant, (of) => {
        const found = findAgent(of, agent);
        findSkill(of, skill);
        of.agents.set(agent, { ...found, skills: enabled ? new Set(found.skills).add(skill) : without(found.skills, skill) });
      }),
  };
}

function openTools({ read, write }: Access, clock: Clock): CatalogueStore["tools"] {
  const toRow = (override: ToolOverride) =>
    structuredClone({ ...override, visibility: override.visibility ?? {}, limits: override.limits ?? {} });
  return {
    async putOverride({ tenant, code }, override) {
      code.checkOverride(override);
      await write(tenant, ({ overrides }) => overrides.set(override.tool, toRow(override)));
    },
    changeOverride: ({ tenant, code }, tool, change) =>
      write(tenant, ({ overrides }) => {
        const changed = change(overrides.get(tool) ?? { tool });
        code.checkOverride(changed);
        overrides.set(tool, toRow(changed));
        return changed;
      }),
    removeOverride: (tenant, tool) =>
      write(tenant, ({ overrides }) => {
        if (!overrides.delete(tool)) throw catalogueMissing("override", tool);
      }),
    async putOwn({ tenant, by, code }, tool) {
      code.checkOwn(tenant, tool);
      await write(tenant, ({ custom, versions }) => {
        custom.set(tool.tool, structuredClone({ ...tool, visibility: tool.visibility ?? {}, limits: tool.limits ?? {} }));
        versions.set(tool.tool, addVersion(versions.get(tool.tool) ?? [], tool, { createdAt: clock.now(), createdBy: by }));
      });
    },
    removeOwn: (tenant, tool) =>
      write(tenant, (of) => {
        if (!of.custom.delete(tool)) throw catalogueMissing("tool of the tenant", tool);
        if (of.tenantRows.get(tool) === "on") of.tenantRows.delete(tool);
        for (const [agent, found] of of.agents) of.agents.set(agent, { ...found, tools: withoutEnabled(found.tools, tool) });
      }),
    rows: async (tenant) => toToolRows(await read(tenant)),
    versions: async (tenant, tool) => (await read(tenant)).versions.get(tool) ?? [],
  };
}

function addVersion(
  before: readonly SchemaVersion[],
  { inputSchema, outputSchema }: TenantTool,
  made: Pick<SchemaVersion, "createdAt" | "createdBy">,
): readonly SchemaVersion[] {
  const [last] = before;
  const [inputHash, outputHash] = [digest(inputSchema), digest(outputSchema)];
  if (last?.inputHash === inputHash && last.outputHash === outputHash) return before;
  const schemas = structuredClone({ inputSchema, outputSchema });
  return [{ version: (last?.version ?? 0) + 1, inputHash, outputHash, ...schemas, ...made }, ...before];
}

function toFacts(of: Rows, before: TenantFacts | undefined): TenantFacts {
  return {
    revision: (before?.revision ?? 0) + 1,
    tenantRows: new Map(of.tenantRows),
    agents: new Map([...of.agents].map(([name, found]) => [name, toAgentFacts(found.agent, sourcesOf(of, found))])),
    tools: keepEqualRows(toToolRows(of), before?.tools),
  };
}

function sourcesOf({ skills }: Rows, found: AgentRows): readonly AgentTool[] {
  const needed = [...found.skills].sort().flatMap((skill) => (skills.get(skill)?.tools ?? []).map((tool) => ({ tool, skill })));
  return [...found.tools.values(), ...needed.map((each) => ({ ...each, source: "skill" as const, enabled: true }))];
}

const toToolRows = ({ overrides, custom }: Rows): TenantToolRows => ({ overrides: inOrder(overrides), custom: inOrder(custom) });

function inOrder<Row>(rows: ReadonlyMap<string, Row>): readonly Row[] {
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

function findAgent({ agents }: Rows, name: string): AgentRows {
  const found = agents.get(name);
  if (!found) throw catalogueMissing("agent", name);
  return found;
}

function findSkill({ skills }: Rows, name: string): Skill {
  const found = skills.get(name);
  if (!found) throw catalogueMissing("skill", name);
  return found;
}

const without = (names: ReadonlySet<string>, name: string) => new Set([...names].filter((each) => each !== name));

const withoutEnabled = (tools: ReadonlyMap<string, AgentTool>, tool: string) =>
  new Map([...tools].filter(([name, { enabled }]) => name !== tool || !enabled));
