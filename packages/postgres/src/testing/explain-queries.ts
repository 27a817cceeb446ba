import { type CompiledQuery, sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { selectEvents } from "../events/event-queries.ts";
import { selectRunKeys } from "../runs/list-runs.ts";
import { selectUsage } from "../usage/read-usage.ts";

export interface ExplainOptions {
  readonly tenant: string;
  readonly session: string;
  /** One that is hardly used. */
  readonly tool: string;
  readonly agent: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The plans of the queries that people wait for, as PostgreSQL would run them now for a tenant; each by its name. */
export async function explainQueries(database: Database, options: ExplainOptions): Promise<Readonly<Record<string, string>>> {
  const { tenant, session, tool, agent, since } = options;
  const queries: Readonly<Record<string, (query: Query) => CompiledQuery>> = {
    "session-events": (query) => selectEvents(query, { tenant, session, limit: 1_000 }).compile(),
    "runs-newest": (query) => selectRunKeys({ tenant }, 51).compile(query),
    "runs-of-a-tool": (query) => selectRunKeys({ tenant, tool }, 51).compile(query),
    "runs-of-an-agent-with-a-status": (query) => selectRunKeys({ tenant, agent, status: "error" }, 51).compile(query),
    "runs-of-a-person-that-asked": (query) => selectRunKeys({ tenant, user: "nobody", door: "mcp", decision: "ask" }, 51).compile(query),
    "runs-inside-a-call": (query) => selectRunKeys({ tenant, parent: "call_none" }, 51).compile(query),
    "runs-that-go-on": (query) => selectRunKeys({ tenant, status: "running" }, 51).compile(query),
    "runs-next-page": (query) => selectRunKeys({ tenant, after: `${since}_call` }, 51).compile(query),
    "usage-by-tool": (query) => selectUsage({ tenant, by: "tool", since }).compile(query),
    "usage-by-hour": (query) => selectUsage({ tenant, by: "hour", since }).compile(query),
  };
  const plans: [string, string][] = [];
  for (const [name, compile] of Object.entries(queries))
    plans.push([name, await database.asTenant(tenant, (query) => explain(query, compile(query)))]);
  return Object.fromEntries(plans);
}

/** The plan of a query as PostgreSQL would run it now. */
export async function explain(query: Query, compiled: CompiledQuery): Promise<string> {
  const { rows } = await query.executeQuery<{ "QUERY PLAN": string }>({ ...compiled, sql: `explain (costs off) ${compiled.sql}` });
  return `${rows.map((row) => row["QUERY PLAN"]).join("\n")}\n`;
}

/** What the planner goes by, as it is after a while. */
export async function analyze(database: Database): Promise<void> {
  await sql`vacuum analyze toolwright.events, toolwright.sessions, toolwright.usage_hours, toolwright.calls_in_flight`.execute(
    database.owner,
  );
}

/** How often an index is read by what a tenant does: for functions, whose plans are not shown. */
export async function countScans(
  database: Database,
  { index, tenant }: { readonly index: string; readonly tenant: string },
  work: (query: Query) => Promise<unknown>,
): Promise<number> {
  const read = async () => {
    const { rows } = await sql<{
      scans: number;
    }>`select idx_scan::int as scans from pg_stat_user_indexes where indexrelname = ${index}`.execute(database.owner);
    return rows[0]?.scans ?? 0;
  };
  const before = await read();
  await database.asTenant(tenant, async (query) => {
    await work(query);
    await sql`select pg_stat_force_next_flush()`.execute(query);
  });
  return (await read()) - before;
}
