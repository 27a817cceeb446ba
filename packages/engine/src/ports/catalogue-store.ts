import { ToolwrightError } from "../contract/errors.ts";
import type { JsonObject } from "../contract/json.ts";
import { misfitAt } from "../contract/misfit-at.ts";
import { nearestName } from "../contract/nearest-name.ts";
import type { Actor, Principal } from "../contract/principal.ts";
import type { AgentLimits, AgentSettings } from "./agent-settings.ts";
import { definePort } from "./define-port.ts";
import type { CodeTools, TenantTool, TenantToolRows, TenantTools, ToolOverride } from "./tenant-tools.ts";
import type { VisibilityFacts } from "./visibility-facts.ts";

export interface Agent extends AgentSettings {
  readonly agent: string;
  readonly name: string;
  readonly features: Readonly<Record<string, boolean>>;
  /** True: it has the tools that its rows enable, and no other. */
  readonly restricted: boolean;
  /** True: other agents may call it. */
  readonly acceptsAgents: boolean;
}

/** Features and limits that are not named stay as they are. */
export interface AgentChanges extends Partial<Omit<Agent, "agent">> {
  /** Limits that are usual again, but for those that `limits` names. */
  readonly clear?: readonly (keyof AgentLimits)[];
}

/** The agent of a tenant that has made none. It is stored nowhere. */
export const impliedAgent = "assistant";

/** `known`: the agents that the tenant has made. */
export function hasAgent(known: readonly Pick<Agent, "agent">[], agent: string): boolean {
  return known.length === 0 ? agent === impliedAgent : known.some((each) => each.agent === agent);
}

export interface AgentName {
  readonly tenant: string;
  readonly agent: string;
}

/** What goes with an agent, and rooms, which stay; of schedules and hooks the names, else ids, and of what has neither how many there are. */
export interface AgentBelongings {
  readonly schedules: readonly string[];
  readonly hooks: readonly string[];
  /** That wait or run in its name. */
  readonly jobs: readonly string[];
  /** API keys that call in its name alone. */
  readonly keys: readonly string[];
  readonly grants: readonly string[];
  /** That wait for a person, or for the call that they allow. */
  readonly approvals: readonly string[];
  /** That run or wait: they are cancelled. */
  readonly turns: readonly string[];
  /** In which it works: their events go to people from then on. */
  readonly rooms: readonly string[];
  readonly secrets: number;
  /** Entries that it remembers. */
  readonly memories: number;
  readonly tools: number;
  readonly skills: number;
}

export interface AgentRemoval {
  /** Who removes it. */
  readonly by: Actor;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface Agents {
  /** By agent. */
  list(tenant: string): Promise<readonly Agent[]>;
  /** Rejects with `catalogue_refused`, as `checkAgentSettings` says, too. `tools` are those that it is made with. */
  create(tenant: string, agent: Agent, tools?: readonly string[]): Promise<void>;
  /** Rejects with `catalogue_not_found`, and as `checkAgentSettings` says. */
  change(tenant: string, agent: string, changes: AgentChanges): Promise<void>;
  /** What `remove` would take along. Rejects with `catalogue_not_found`. */
  belongings(tenant: string, agent: string, at: number): Promise<AgentBelongings>;
  /**
   * With all that would act in its name: an agent that is made anew under its name inherits nothing. What it did stays in the log. Rejects
   * with `catalogue_not_found`.
   */
  remove(tenant: string, agent: string, removal: AgentRemoval): Promise<AgentBelongings>;
}

/** A row that says something of a tool for an agent. */
export interface AgentTool {
  readonly tool: string;
  readonly source: "manual" | "default" | "skill";
  readonly skill?: string | undefined;
  readonly enabled: boolean;
}

export interface Enablement {
  /** True or false is what a person says; undefined takes that back, so that only skills speak. Rejects with `catalogue_not_found`. */
  setForAgent(of: AgentName, tools: readonly string[], enabled: boolean | undefined): Promise<void>;
  /** Enables or disables tools for a tenant. Rows of the tenant `default` hold for every tenant that says nothing itself. */
  setForTenant(tenant: string, tools: readonly string[], enabled: boolean | undefined): Promise<void>;
  /** Every row that says something of the agent, by tool. Rejects with `catalogue_not_found`. */
  listForAgent(tenant: string, agent: string): Promise<readonly AgentTool[]>;
}

export interface Skill {
  readonly skill: string;
  readonly title: string;
  /** Markdown. */
  readonly instructions: string;
  /** Tools that an agent with the skill has. */
  readonly tools: readonly string[];
}

export interface ListedSkill extends Skill {
  readonly agents: readonly string[];
}

export type SkillChanges = Partial<Omit<Skill, "skill">>;

export interface Skills {
  /** By skill. */
  list(tenant: string): Promise<readonly ListedSkill[]>;
  /** Rejects with `catalogue_refused`. */
  create(tenant: string, skill: Skill): Promise<void>;
  /** Agents that have it follow at once. Rejects with `catalogue_not_found`. */
  change(tenant: string, skill: string, changes: SkillChanges): Promise<void>;
  /** Rejects with `catalogue_not_found`. */
  remove(tenant: string, skill: string): Promise<void>;
  /** Rejects with `catalogue_not_found`. */
  setForAgent(of: AgentName & { readonly skill: string }, enabled: boolean): Promise<void>;
}

/** Who puts something over or beside the tools of code. */
export interface Author {
  readonly tenant: string;
  readonly by: string;
  /** As `toCodeTools(engine.snapshot())` makes them. */
  readonly code: CodeTools;
}

/** The schemas that a tenant's tool had from some moment on. */
export interface SchemaVersion {
  readonly version: number;
  readonly inputHash: string;
  readonly outputHash: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema: JsonObject;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: string;
}

export interface ToolRows {
  /** Rejects as `CodeTools.checkOverride` says. */
  putOverride(of: Author, override: ToolOverride): Promise<void>;
  /** Puts what `change` makes of the current override; concurrent changes wait. Resolves with the new override. */
  changeOverride(of: Author, tool: string, change: (current: ToolOverride) => ToolOverride): Promise<ToolOverride>;
  /** Rejects with `catalogue_not_found`. */
  removeOverride(tenant: string, tool: string): Promise<void>;
  /** Rejects as `CodeTools.checkOwn` says. */
  putOwn(of: Author, tool: TenantTool): Promise<void>;
  /** What enabled the tool goes with it; what switched it off stays. Rejects with `catalogue_not_found`. */
  removeOwn(tenant: string, tool: string): Promise<void>;
  /** The tenant's own rows by tool, without those of `default` that hold for it. */
  rows(tenant: string): Promise<TenantToolRows>;
  /** Newest first. */
  versions(tenant: string, tool: string): Promise<readonly SchemaVersion[]>;
}

/**
 * Who has which tools. *Contract:* what a write changed is what `visibility` and `tenantTools` say when it resolves, and soon in every other
 * process. Everything but those two rejects with `tenant_not_found` for a tenant that there is not.
 */
export interface CatalogueStore {
  readonly visibility: VisibilityFacts;
  readonly tenantTools: TenantTools;
  readonly agents: Agents;
  readonly enablement: Enablement;
  readonly skills: Skills;
  readonly tools: ToolRows;
}

export const cataloguePort = definePort<Pick<CatalogueStore, "agents" | "enablement" | "skills" | "tools">>()(
  "catalogue",
  "a store of agents, skills and tools, such as createMemoryCatalogueStore()",
);

type Named = "agent" | "skill";
const articles: Readonly<Record<Named, string>> = { agent: "an", skill: "a" };

/** Throws `catalogue_refused` for a name that cannot be one. */
export function checkCatalogueName(kind: Named, name: string): void {
  if (/^[a-z0-9][a-z0-9-]{0,62}$/.test(name)) return;
  throw misfitAt(
    `/${kind}`,
    "catalogue_refused",
    `${JSON.stringify(name.slice(0, 80))} cannot name ${articles[kind]} ${kind}. Use a-z, 0-9 and "-", at most 63, the first a letter or digit.`,
  );
}

/** The error of a name that is taken. */
export function catalogueTaken(kind: Named, name: string): ToolwrightError {
  const message = `There is ${articles[kind]} ${kind} "${name}" already. Change it with: toolwright ${kind}s set ${name}`;
  return misfitAt(`/${kind}`, "catalogue_refused", message);
}

/** The error of what there is not. One of `known` that is written alike is proposed. */
export function catalogueMissing(
  kind: Named | "override" | "tool of the tenant",
  name: string,
  known: readonly string[] = [],
): ToolwrightError {
  const what = JSON.stringify(name);
  const nearest = nearestName(name, known);
  const meant = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  if (kind !== "agent" && kind !== "skill") return new ToolwrightError("catalogue_not_found", `There is no ${kind} named ${what}.${meant}`);
  return misfitAt(`/${kind}`, "catalogue_not_found", `There is no ${kind} ${what}.${meant} See them with: toolwright ${kind}s list`);
}

/** True for who acts in the agent's name, or on behalf of a call in its name. */
export function actsAs(principal: Principal, agent: string): boolean {
  return principal.agent === agent || (principal.delegated !== undefined && actsAs(principal.delegated.from, agent));
}
