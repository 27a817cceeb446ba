import type { LostEnablement, RemovedTool, SyncReport } from "@toolwright/engine/catalogue";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { defaultGraceMs, type SyncOptions } from "./sync-report.ts";

interface Gone extends Pick<SyncReport, "removed" | "held"> {
  /** Revisions of the tenants that lost something. */
  readonly revisions: readonly { readonly tenant: string; readonly revision: number }[];
}

/**
 * Removes what no living process serves, with the rows that enable it. Rows that switch off, ask or narrow stay: a tool that comes back is
 * never more open than it was.
 */
export async function removeGone(
  query: Query,
  { process, complete = true, graceMs = defaultGraceMs }: SyncOptions,
  among?: readonly string[],
): Promise<Gone> {
  const living = sql`seen_at > clock_timestamp() - make_interval(secs => ${graceMs / 1000})`;
  const { rows } = await sql<{ tool: string; by: string[] | null; renamed: string | null }>`
    select tool,
      (select array_agg(p.process order by p.process) from toolwright.process_tools p where p.tools @> array[c.tool] and p.${living}) as by,
      (select n.tool from toolwright.code_tools n where n.body = c.body and n.tool <> c.tool and n.first_seen_at > c.first_seen_at
        order by n.first_seen_at desc, n.tool limit 1) as renamed
    from toolwright.code_tools c
    where not exists (select from toolwright.process_tools p where p.process = ${process} and p.tools @> array[c.tool])
      ${among ? sql`and c.tool = any(${among}::text[])` : sql``}
    order by tool`.execute(query);
  const held = rows.filter(({ by }) => !complete || by).map(({ tool, by }) => ({ tool, by: by ?? [] }));
  const gone = rows.filter(({ by }) => complete && !by);
  if (gone.length === 0) return { removed: [], held, revisions: [] };
  const names = gone.map(({ tool }) => tool);
  await lockRevisions(query);
  const lost = await removeEnablement(query, names);
  await query.deleteFrom("toolwright.code_tools").where("tool", "in", names).execute();
  await sql`delete from toolwright.process_tools where not (${living})`.execute(query);
  const tenants = [...new Set(lost.map(({ tenant }) => tenant))];
  return {
    held,
    removed: gone.map(({ tool, renamed }) => toRemoved(tool, renamed, lost)),
    revisions: await readRevisions(query, tenants),
  };
}

type LostRow = LostEnablement & { readonly tool: string };

function toRemoved(tool: string, renamed: string | null, lost: readonly LostRow[]): RemovedTool {
  const ofTool = lost.filter((row) => row.tool === tool);
  return {
    tool,
    renamedTo: renamed ?? undefined,
    lost: ofTool.map(({ tenant, agent, source, skill }) => ({ tenant, agent: agent ?? undefined, source, skill: skill ?? undefined })),
  };
}

/** A tenant's own tool of the same name is another tool: its rows stay. */
async function removeEnablement(query: Query, names: readonly string[]): Promise<readonly LostRow[]> {
  const ofThese = sql`enabled and tool = any(${names}::text[])
    and not exists (select from toolwright.tools own where own.tenant = r.tenant and own.tool = r.tool and own.kind = 'tenant_custom')`;
  const { rows } = await sql<LostRow>`
    select tool, tenant, agent, source, skill from toolwright.agent_tool_sources r where ${ofThese}
    union all select tool, tenant, null, 'tenant', null from toolwright.tenant_tools r where ${ofThese}
    order by tenant, agent, source, skill`.execute(query);
  await sql`delete from toolwright.agent_tools r where ${ofThese}`.execute(query);
  await sql`delete from toolwright.tenant_tools r where ${ofThese}`.execute(query);
  return rows;
}

/** Whoever writes takes these first, in one order, so that nobody waits for a row of somebody who waits for the revision. */
export async function lockRevisions(query: Query, tenants?: readonly string[]): Promise<void> {
  const these = tenants ? sql`and tenant = any(${tenants}::text[])` : sql``;
  await sql`select from toolwright.revisions where area = 'catalogue' ${these} order by tenant for update`.execute(query);
}

export async function readRevisions(query: Query, tenants: readonly string[]): Promise<Gone["revisions"]> {
  const { rows } = await sql<Gone["revisions"][number]>`
    select tenant, revision from toolwright.revisions where area = 'catalogue' and tenant = any(${tenants}::text[])`.execute(query);
  return rows;
}
