import type { Snapshot, SyncReport, ToolOverride } from "@toolwright/engine/catalogue";
import {
  type Agents,
  type CatalogueStore,
  checkAgentSettings,
  checkCatalogueName,
  createTenantTools,
  createVisibility,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { requireTenant } from "../identity/postgres-tenant-store.ts";
import { readBelongings, toBelongings } from "./agent-belongings.ts";
import { catalogueTopic, openCatalogueCache } from "./catalogue-cache.ts";
import { type CatalogueSource, type FollowedCatalogue, type FollowOptions, followCatalogue } from "./follow-catalogue.ts";
import { deleteAgent, finishRemoval } from "./remove-agent.ts";
import { lockRevisions, readRevisions } from "./remove-gone.ts";
import { leaveCatalogue, syncCatalogue } from "./sync-catalogue.ts";
import type { SyncOptions } from "./sync-report.ts";
import { insertAgent, requireAgent, selectAgents, updateAgent } from "./write-agents.ts";
import { selectAgentTools, setAgentTools, setTenantTools } from "./write-enablement.ts";
import { deleteSkill, insertSkill, selectSkills, setAgentSkill, updateSkill } from "./write-skills.ts";
import { deleteToolRow, selectToolRows, selectVersions, upsertOverride, upsertTenantTool } from "./write-tenant-tools.ts";

/** Who has which tools, for processes that share a database: what none of them serves loses what enables it. */
export interface PostgresCatalogueStore extends CatalogueStore {
  /** Brings the database to the tools of this process, once. */
  sync(snapshot: Snapshot, options?: Pick<SyncOptions, "complete">): Promise<SyncReport>;
  /** Synchronises now and after each change, and gives signs of life, until it is stopped. */
  follow(source: CatalogueSource, options: FollowOptions): Promise<FollowedCatalogue>;
  /** Says that this process ends; what `follow` returned says so itself. */
  leave(): Promise<void>;
  close(): void;
}

interface CatalogueStoreOptions {
  /** Unique name of this process. */
  readonly process: string;
  readonly warn?: ((message: string) => void) | undefined;
  readonly decides?: boolean | undefined;
}

/** Resolves when the rows of every tenant are in memory, for a process that decides. */
export async function createCatalogueStore(
  database: Database,
  { process, warn = () => {}, decides = true }: CatalogueStoreOptions,
): Promise<PostgresCatalogueStore> {
  const cache = await openCatalogueCache(database, { warn, decides });
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
        checkCatalogueName("skill", skill.skill);
        await write(tenant, (query) => insertSkill(query, tenant, skill));
      },
      change: (tenant, skill, changes) => write(tenant, (query) => updateSkill(query, { tenant, skill }, changes)),
      remove: (tenant, skill) => write(tenant, (query) => deleteSkill(query, tenant, skill)),
      setForAgent: (of, enabled) => write(of.tenant, (query) => setAgentSkill(query, of, enabled)),
    },
    tools: {
      async putOverride(of, override) {
        of.code.checkOverride(override);
        await write(of.tenant, (query) => upsertOverride(query, of, override));
      },
      async changeOverride(of, tool, change) {
        let changed: ToolOverride = { tool };
        await write(of.tenant, async (query) => {
          const { overrides } = await selectToolRows(query, of.tenant);
          changed = change(overrides.find((each) => each.tool === tool) ?? { tool });
          of.code.checkOverride(changed);
          await upsertOverride(query, of, changed);
        });
        return changed;
      },
      removeOverride: (tenant, tool) => write(tenant, (query) => deleteToolRow(query, { tenant, tool }, "system_override")),
      async putOwn(of, tool) {
        of.code.checkOwn(of.tenant, tool);
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

type Run = <Result>(tenant: string, work: (query: Query) => Promise<Result>) => Promise<Result>;

/** `write` lets every process know of the change. */
function createAgents(database: Database, { read, write }: { readonly read: Run; readonly write: Run }): Agents {
  return {
    list: (tenant) => read(tenant, (query) => selectAgents(query, tenant)),
    async create(tenant, agent, tools = []) {
      checkCatalogueName("agent", agent.agent);
      checkAgentSettings(agent);
      await write(tenant, (query) => insertAgent(query, tenant, agent, tools));
    },
    async change(tenant, agent, changes) {
      checkAgentSettings(changes);
      await write(tenant, (query) => updateAgent(query, { tenant, agent }, changes));
    },
    belongings: (tenant, agent, at) =>
      read(tenant, async (query) => {
        await requireAgent(query, tenant, agent);
        return toBelongings(await readBelongings(query, { tenant, agent }, at));
      }),
    async remove(tenant, agent, removal) {
      const removed = await write(tenant, (query) => deleteAgent(query, { tenant, agent }, removal));
      await finishRemoval(database, { tenant, agent }, { ...removal, ...removed });
      return toBelongings(removed.belongings);
    },
  };
}
