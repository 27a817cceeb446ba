import { type EventType, ToolwrightError } from "@toolwright/engine";
import { type RawBuilder, sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { type EventRow, toStoredEvent } from "../events/event-row.ts";
import { type RunStatus, type ToolRun, toRun } from "./to-run.ts";

export interface RunFilter {
  readonly tenant: string;
  readonly tool?: string | undefined;
  readonly agent?: string | undefined;
  readonly source?: string | undefined;
  readonly status?: RunStatus | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Reads on after the page that gave this; another text is refused with `invalid_input`. */
  readonly after?: string | undefined;
  /** Default 50, at most 500. */
  readonly limit?: number | undefined;
}

export interface RunPage {
  readonly runs: readonly ToolRun[];
  /** For the next page; undefined on the last one. */
  readonly next: string | undefined;
}

const defaultLimit = 50;
const mostRuns = 500;

/** Runs, newest first: by their beginning, or with a status by when they came to it. */
export function listRuns(database: Database, filter: RunFilter): Promise<RunPage> {
  const limit = Math.min(Math.max(1, filter.limit ?? defaultLimit), mostRuns);
  return database.asTenant(filter.tenant, async (query) => {
    const { rows } = await selectRunKeys(filter, limit + 1).execute(query);
    const places = rows.slice(0, limit);
    const runs = await readRuns(
      query,
      filter.tenant,
      places.map(({ call_id }) => call_id),
    );
    const last = places.at(-1);
    const next = rows.length > limit && last ? `${last.at.getTime()}_${last.call_id}` : undefined;
    return { runs: places.flatMap(({ call_id }) => runs.get(call_id) ?? []), next };
  });
}

export function findRun(database: Database, tenant: string, id: string): Promise<ToolRun | undefined> {
  return database.asTenant(tenant, async (query) => (await readRuns(query, tenant, [id])).get(id));
}

/** The events that a list goes by: the first of each call, or for a status the last of it. */
export const firstTypes: readonly EventType[] = ["tool.started", "tool.denied", "tool.needs_approval", "tool.failed", "tool.cancelled"];
const lastTypes: Readonly<Record<RunStatus, EventType>> = {
  running: "tool.started",
  success: "tool.completed",
  error: "tool.failed",
  unknown: "tool.failed",
  cancelled: "tool.cancelled",
  denied: "tool.denied",
  pending: "tool.needs_approval",
};

/** Exported so that its plan can be looked at. */
export function selectRunKeys(filter: RunFilter, limit: number): RawBuilder<{ at: Date; call_id: string }> {
  const { tenant, tool, agent, source, status, since } = filter;
  const conditions = [
    sql`event.tenant = ${tenant} and event.type <> 'tool.output_appended'`,
    status === undefined ? sql`event.type in (${sql.join(firstTypes)})` : sql`event.type = ${lastTypes[status]}`,
    ...(tool === undefined ? [] : [sql`event.tool = ${tool}`]),
    ...(agent === undefined ? [] : [sql`event.agent = ${agent}`]),
    ...(source === undefined ? [] : [sql`event.source = ${source}`]),
    // Of all that started, those few that have not ended.
    ...(status === "running"
      ? [sql`event.call_id in (select going.call_id from toolwright.calls_in_flight as going where going.tenant = ${tenant})`]
      : []),
    ...(since === undefined ? [] : [sql`event.at >= ${new Date(since)}`]),
    ...afterKey(filter.after),
    // As text: PostgreSQL does not read a member of JSON that holds NUL or a lone surrogate anywhere. Within a string its quotes are escaped.
    ...(status === "unknown" ? [sql`event.data::text like '%"outcome":"unknown"%'`] : []),
    ...(status === "error" ? [sql`event.data::text not like '%"outcome":"unknown"%'`] : []),
    sql`not exists (select from toolwright.events as other where other.tenant = event.tenant and other.call_id = event.call_id
      and other.type <> 'tool.output_appended' and ${status === undefined ? sql`other.sequence < event.sequence` : sql`other.sequence > event.sequence`})`,
  ];
  return sql`select event.at, event.call_id from toolwright.events as event where ${sql.join(conditions, sql` and `)}
    order by event.at desc, event.call_id desc limit ${limit}`;
}

function afterKey(after: string | undefined): readonly RawBuilder<unknown>[] {
  if (after === undefined) return [];
  const [, at, id] = /^(\d{1,15})_(.{1,200})$/s.exec(after) ?? [];
  // Not the first page again: whoever asks page by page would never come to an end.
  if (at === undefined)
    throw new ToolwrightError(
      "invalid_input",
      `There is no page of runs after ${JSON.stringify(after)}. Use what the page before gave as next.`,
    );
  const time = new Date(Number(at));
  return [sql`event.at <= ${time} and (event.at, event.call_id) < (${time}, ${id})`];
}

async function readRuns(query: Query, tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, ToolRun>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom("toolwright.events")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("call_id", "in", ids)
    .where("type", "<>", "tool.output_appended")
    .orderBy("sequence")
    .execute();
  const calls = Map.groupBy((rows as readonly EventRow[]).map(toStoredEvent), ({ event }) => event.callId);
  return new Map([...calls].flatMap(([id, [first, ...others]]) => (first ? [[id, toRun([first, ...others])] as const] : [])));
}
