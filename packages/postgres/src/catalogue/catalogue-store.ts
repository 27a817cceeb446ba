import { ToolwrightError } from "@toolwright/engine";
import {
  compileTenantTool,
  overrideTool,
  type Snapshot,
  type TenantTool,
  type TenantToolRows,
  type TenantTools,
  type ToolOverride,
} from "@toolwright/engine/catalogue";
import type { VisibilityFacts } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { requireTenant } from "../identity/postgres-tenant-store.ts";
import { type Agents, createAgents } from "./agents.ts";
import { catalogueTopic, openCatalogueCache } from "./catalogue-cache.ts";
import { type CatalogueSource, type FollowedCatalogue, type FollowOptions, followCatalogue } from "./follow-catalogue.ts";
import { lockRevisions, readRevisions } from "./remove-gone.ts";
import { leaveCatalogue, syncCatalogue } from "./sync-catalogue.ts";
import type { SyncOptions, SyncReport } from "./sync-report.ts";
import { createTenantTools, createVisibility } from "./visibility.ts";
import { checkName } from "./write-agents.ts";
import { type AgentTool, selectAgentTools, setAgentTools, setTenantTools } from "./write-enablement.ts";
import {
  deleteSkill,
  insertSkill,
  type ListedSkill,
  type Skill,
  type SkillChanges,
  selectSkills,
  setAgentSkill,
  updateSkill,
} from "./write-skills.ts";
import {
  deleteToolRow,
  type SchemaVersion,
  selectToolRows,
  selectVersions,
  upsertOverride,
  upsertTenantTool,
} from "./write-tenant-tools.ts";

/** Who has which tools. *Contract:* what a write changed is what `visibility` and `tenantTools` say when it resolves, and soon in every other process. */
export interface CatalogueStore {
  readonly visibility: VisibilityFacts;
  readonly tenantTools: TenantTools;
  readonly agents: Agents;
  readonly enablement: {
    /** True or false is what a person says; undefined takes that back, so that only skills speak. Rejects with `catalogue_not_found`. */
    setForAgent(
      of: { readonly tenant: string; readonly agent: string },
      tools: readonly string[],
      enabled: boolean | undefined,
    ): Promise<void>;
    /** Of the tenant `default`: for every tenant that says nothing itself. */
    setForTenant(tenant: string, tools: readonly string[], enabled: boolean | undefined): Promise<void>;
    listForAgent(tenant: string, agent: string): Promise<readonly AgentTool[]>;
  };
  readonly skills: {
    list(tenant: string): Promise<readonly ListedSkill[]>;
    /** Rejects with `catalogue_refused` when the name is taken. */
    create(tenant: string, skill: Skill): Promise<void>;
    /** Rejects with `catalogue_not_found`. */
    change(tenant: string, skill: string, changes: SkillChanges): Promise<void>;
    remove(tenant: string, skill: string): Promise<void>;
    setForAgent(of: { readonly tenant: string; readonly agent: string; readonly skill: string }, enabled: boolean): Promise<void>;
  };
  readonly tools: {
    /** Rejects with `definition_invalid` when it would widen the tool, `catalogue_not_found` without one in `code`. */
    putOverride(of: Author, override: ToolOverride): Promise<void>;
    /** The same with what `change` makes of the override that is there; who changes it meanwhile waits. Resolves with what is there now. */
    changeOverride(of: Author, tool: string, change: (current: ToolOverride) => ToolOverride): Promise<ToolOverride>;
    removeOverride(tenant: string, tool: string): Promise<void>;
    /** Rejects with `definition_invalid`, `schema_refused`, or `duplicate_tool` for a name in `code`. */
    putOwn(of: Author, tool: TenantTool): Promise<void>;
    removeOwn(tenant: string, tool: string): Promise<void>;
    /** The tenant's own rows, without those of `default` that hold for it. */
    rows(tenant: string): Promise<TenantToolRows>;
    versions(tenant: string, tool: string): Promise<readonly SchemaVersion[]>;
  };
  /** Brings the database to the tools of this process, once. */
  sync(snapshot: Snapshot, options?: Pick<SyncOptions, "complete">): Promise<SyncReport>;
  /** The same now and after each change, and says that this process lives, until it is stopped. */
  follow(source: CatalogueSource, options: FollowOptions): Promise<FollowedCatalogue>;
  /** Says that this process ends; what `follow` returned says so itself. */
  leave(): Promise<void>;
  close(): void;
}

export interface Author {
  readonly tenant: string;
  readonly by: string;
  /** The tools of code. */
  readonly code: Snapshot;
}

export interface CatalogueStoreOptions {
  /** Unique name of this process. */
  readonly process: string;
  readonly warn?: ((message: string) => void) | undefined;
}

/** Resolves when the rows of every tenant are in memory. */
export async function createCatalogueStore(
  database: Database,
  { process, warn = () => {} }: CatalogueStoreOptions,
): Promise<CatalogueStore> {
  const cache = await openCatalogueCache(database, warn);
  const read = <Result>(tenant: string, work: (query: Query) => Promise<Result>) =>
    database.asTenant(tenant, async (query) => {
      await requireTenant(query, tenant);
      return work(query);
    });
  const write = async <Result>(tenant: string, work: (query: Query) => Promise<Result>): Promise<Result> => {
    const { result, revisions } = await read(tenant, async (query) => {
      await lockRevisions(query, [tenant]);
      return { result: await work(query), revisions: await readRevisions(query, [tenant]) };
    });
    for (const { revision } of revisions) database.announce({ topic: catalogueTopic, tenant, id: String(revision) });
    await cache.refresh([tenant]);
    return result;
  };
  return {
    visibility: createVisibility(cache.of),
    tenantTools: createTenantTools(cache.of, cache.onChange),
    agents: createAgents(database, { read, write }),
    enablement: {
      setForAgent: (of, tools, enabled) => write(of.tenant, (query) => setAgentTools(query, of, tools, enabled)),
      setForTenant: (tenant, tools, enabled) => write(tenant, (query) => setTenantTools(query, tenant, tools, enabled)),
      listForAgent: (tenant, agent) => read(tenant, (query) => selectAgentTools(query, { tenant, agent })),
    },
    skills: {
      list: (tenant) => read(tenant, (query) => selectSkills(query, tenant)),
      async create(tenant, skill) {
        checkName("skill", skill.skill);
        await write(tenant, (query) => insertSkill(query, tenant, skill));
      },
      change: (tenant, skill, changes) => write(tenant, (query) => updateSkill(query, { tenant, skill }, changes)),
      remove: (tenant, skill) => write(tenant, (query) => deleteSkill(query, tenant, skill)),
      setForAgent: (of, enabled) => write(of.tenant, (query) => setAgentSkill(query, of, enabled)),
    },
    tools: {
      async putOverride(of, override) {
        checkOverride(of.code, override);
        await write(of.tenant, (query) => upsertOverride(query, of, override));
      },
      async changeOverride(of, tool, change) {
        let changed: ToolOverride = { tool };
        await write(of.tenant, async (query) => {
          const { overrides } = await selectToolRows(query, of.tenant);
          changed = change(overrides.find((each) => each.tool === tool) ?? { tool });
          checkOverride(of.code, changed);
          await upsertOverride(query, of, changed);
        });
        return changed;
      },
      removeOverride: (tenant, tool) => write(tenant, (query) => deleteToolRow(query, { tenant, tool }, "system_override")),
      async putOwn(of, tool) {
        refuseTaken(of.code, tool.tool);
        compileTenantTool(of.tenant, tool);
        await write(of.tenant, (query) => upsertTenantTool(query, of, tool));
      },
      removeOwn: (tenant, tool) => write(tenant, (query) => deleteToolRow(query, { tenant, tool }, "tenant_custom")),
      rows: (tenant) => read(tenant, (query) => selectToolRows(query, tenant)),
      versions: (tenant, tool) => read(tenant, (query) => selectVersions(query, tenant, tool)),
    },
    async sync(snapshot, { complete = true } = {}) {
      const report = await syncCatalogue(database, snapshot, { process, complete });
      await cache.refresh(losers(report));
      return report;
    },
    follow: (source, options) => followCatalogue(database, source, { ...options, process, warn }),
    leave: () => leaveCatalogue(database, process),
    close: cache.close,
  };
}

function losers({ removed }: SyncReport): readonly string[] {
  return [...new Set(removed.flatMap(({ lost }) => lost.map(({ tenant }) => tenant)))];
}

function checkOverride(code: Snapshot, override: ToolOverride): void {
  const base = code.find(override.tool);
  if (!base) throw new ToolwrightError("catalogue_not_found", `There is no tool ${JSON.stringify(override.tool)} to override.`);
  overrideTool(base, override);
}

function refuseTaken(code: Snapshot, tool: string): void {
  const taken = code.find(tool);
  if (taken) throw new ToolwrightError("duplicate_tool", `The name "${tool}" is taken by ${taken.origin.source}. Choose another.`);
}
