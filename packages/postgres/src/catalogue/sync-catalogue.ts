import type { Snapshot, SyncReport } from "@toolwright/engine/catalogue";
import { digest } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { catalogueTopic } from "./catalogue-cache.ts";
import { removeGone } from "./remove-gone.ts";
import { defaultGraceMs, type RenewOptions, type SyncOptions } from "./sync-report.ts";

/** Brings the database to the tools of this process: new and changed ones are noted, gone ones lose what enables them. One process at a time. */
export async function syncCatalogue(database: Database, snapshot: Snapshot, options: SyncOptions): Promise<SyncReport> {
  const { report, revisions } = await database.asSystem(async (query) => {
    await sql`select pg_advisory_xact_lock(hashtext('toolwright catalogue'))`.execute(query);
    await noteProcess(query, options.process, [...servedBy(snapshot), ...(options.alsoServed ?? [])]);
    const noted = await noteTools(query, snapshot);
    const gone = await removeGone(query, options);
    return { report: { ...noted, removed: gone.removed, held: gone.held }, revisions: gone.revisions };
  });
  for (const { tenant, revision } of revisions) database.announce({ topic: catalogueTopic, tenant, id: String(revision) });
  return report;
}

/** Says that the process still serves what it served; what was held and is served by no living process is then removed. */
export async function renewCatalogue(database: Database, options: RenewOptions): Promise<Pick<SyncReport, "removed" | "held">> {
  const grace = options.graceMs ?? defaultGraceMs;
  const { removed, held, revisions } = await database.asSystem(async (query) => {
    await sql`select pg_advisory_xact_lock(hashtext('toolwright catalogue'))`.execute(query);
    const { rows } = await sql<{ late: boolean }>`
      with before as (select seen_at from toolwright.process_tools where process = ${options.process})
      update toolwright.process_tools set seen_at = clock_timestamp() where process = ${options.process}
      returning (select seen_at from before) < clock_timestamp() - make_interval(secs => ${grace / 1000}) as late`.execute(query);
    // Who was away that long may find the others away for the same reason: they get a turn to say that they live.
    if (rows[0]?.late !== false) return { removed: [], held: [], revisions: [] };
    return removeGone(query, options, options.held);
  });
  for (const { tenant, revision } of revisions) database.announce({ topic: catalogueTopic, tenant, id: String(revision) });
  return { removed, held };
}

/** The process ends: what only it served is gone. */
export async function leaveCatalogue(database: Database, process: string): Promise<void> {
  await database.asSystem((query) => query.deleteFrom("toolwright.process_tools").where("process", "=", process).execute());
}

/** Tools that wait for a variable are not gone. */
export function servedBy({ tools, leftOut }: Snapshot): readonly string[] {
  return [...tools.map(({ name }) => name), ...leftOut];
}

async function noteProcess(query: Query, process: string, tools: readonly string[]): Promise<void> {
  await sql`insert into toolwright.process_tools (process, tools, seen_at) values (${process}, ${tools}::text[], clock_timestamp())
    on conflict (process) do update set tools = excluded.tools, seen_at = excluded.seen_at`.execute(query);
}

async function noteTools(query: Query, { tools }: Snapshot): Promise<Pick<SyncReport, "added" | "changed">> {
  const { rows: known } = await sql<{ tool: string; hash: string }>`select tool, hash from toolwright.code_tools`.execute(query);
  const hashes = new Map(known.map(({ tool, hash }) => [tool, hash]));
  const column = (of: (tool: Snapshot["tools"][number]) => string) => tools.map(of);
  const schemas = column((tool) => digest([tool.input({ tenant: "default", agent: undefined, attributes: {} }).json, tool.output.json]));
  await sql`insert into toolwright.code_tools (tool, title, tool_group, origin, source, hash, body, schemas, first_seen_at, last_seen_at)
    select t, ti, g, o, s, h, b, sc, clock_timestamp(), clock_timestamp()
    from unnest(${column(({ name }) => name)}::text[], ${column(({ title }) => title)}::text[], ${column(({ group }) => group)}::text[],
      ${column(({ origin }) => origin.kind)}::text[], ${column(({ origin }) => origin.source)}::text[], ${column(({ hash }) => hash)}::text[],
      ${column(({ body }) => body)}::text[], ${schemas}::text[]) as given(t, ti, g, o, s, h, b, sc)
    on conflict (tool) do update set title = excluded.title, tool_group = excluded.tool_group, origin = excluded.origin, source = excluded.source,
      hash = excluded.hash, body = excluded.body, schemas = excluded.schemas, last_seen_at = excluded.last_seen_at`.execute(query);
  return {
    added: tools.filter(({ name }) => !hashes.has(name)).map(({ name }) => name),
    changed: tools.filter(({ name, hash }) => hashes.has(name) && hashes.get(name) !== hash).map(({ name }) => name),
  };
}
