import type { EventType } from "@toolwright/engine";
import {
  eventTypes,
  formatRunKey,
  pageSizeOf,
  parseRunKey,
  type RunFilter,
  type RunPage,
  type RunStatus,
  type ToolRun,
  toRun,
  typesOfDecision,
} from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { type EventRow, toCallEvent } from "../events/event-row.ts";

/** Runs, newest first: by their beginning, or with a status by when they came to it. */
export function listRuns(database: Database, filter: RunFilter): Promise<RunPage> {
  const limit = pageSizeOf(filter);
  return database.asTenant(filter.tenant, async (query) => {
    const { rows } = await selectRunKeys(filter, limit + 1).execute(query);
    const keys = rows.slice(0, limit);
    const runs = await readRuns(
      query,
      filter.tenant,
      keys.map(({ call_id }) => call_id),
    );
    const last = keys.at(-1);
    const next = rows.length > limit && last ? formatRunKey(keyOf(last)) : undefined;
    const found = keys.flatMap(({ call_id }) => runs.get(call_id) ?? []);
    // What an input says may look like a place.
    return { runs: filter.parent === undefined ? found : found.filter(({ parent }) => parent === filter.parent), next };
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
  const { tenant, tool, agent, source, user, door, status, since } = filter;
  const conditions = [
    sql`event.tenant = ${tenant} and event.type <> 'tool.output_appended'`,
    status === undefined ? sql`event.type in (${sql.join([...firstTypes, "tool.approved"])})` : sql`event.type = ${lastTypes[status]}`,
    ...(tool === undefined ? [] : [sql`event.tool = ${tool}`]),
    ...(agent === undefined ? [] : [sql`event.agent = ${agent}`]),
    ...(source === undefined ? [] : [sql`event.source = ${source}`]),
    ...(user === undefined ? [] : [sql`event.actor_kind = 'user' and event.actor_id = ${user}`]),
    ...(door === undefined ? [] : [sql`event.door = ${door}`]),
    ...ofDecision(filter),
    ...insideCall(filter),
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
      and other.type <> 'tool.output_appended' and other.type like 'tool.%' and ${status === undefined ? sql`other.sequence < event.sequence` : sql`other.sequence > event.sequence`})`,
  ];
  return sql`select event.at, event.call_id from toolwright.events as event where ${sql.join(conditions, sql` and `)}
    order by event.at desc, event.call_id desc limit ${limit}`;
}

/** Without a status the list goes by the first event anyway. */
function ofDecision({ tenant, decision, status }: RunFilter): readonly RawBuilder<unknown>[] {
  if (decision === undefined) return [];
  const types = sql.join(typesOfDecision[decision]);
  if (status === undefined) return [sql`event.type in (${types})`];
  return [
    sql`(select begun.type from toolwright.events as begun where begun.tenant = ${tenant} and begun.call_id = event.call_id
      and begun.type <> 'tool.output_appended' and begun.type like 'tool.%' order by begun.sequence limit 1) in (${types})`,
  ];
}

/** A call inside another is in the session of that one, after its beginning, and names it. */
function insideCall({ tenant, parent }: RunFilter): readonly RawBuilder<unknown>[] {
  if (parent === undefined) return [];
  const outer = sql`from toolwright.events as outer_event where outer_event.tenant = ${tenant} and outer_event.call_id = ${parent}
      and outer_event.type <> 'tool.output_appended'`;
  return [
    sql`event.session = (select min(outer_event.session) ${outer}) and event.sequence > (select min(outer_event.sequence) ${outer})`,
    // As text, as above.
    sql`strpos(event.data::text, ${`"parent":${JSON.stringify(parent)}`}) > 0`,
  ];
}

function afterKey(after: string | undefined): readonly RawBuilder<unknown>[] {
  if (after === undefined) return [];
  const { at, id } = parseRunKey(after);
  const time = new Date(at);
  return [sql`event.at <= ${time} and (event.at, event.call_id) < (${time}, ${id})`];
}

export const keyOf = ({ at, call_id }: { readonly at: Date; readonly call_id: string }) => ({ at: at.getTime(), id: call_id });

async function readRuns(query: Query, tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, ToolRun>> {
  if (ids.length === 0) return new Map();
  const rows = await query
    .selectFrom("toolwright.events")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("call_id", "in", ids)
    .where("type", "<>", "tool.output_appended")
    .where("type", "in", eventTypes)
    .orderBy("sequence")
    .execute();
  const calls = Map.groupBy((rows as readonly EventRow[]).map(toCallEvent), ({ event }) => event.callId);
  return new Map([...calls].flatMap(([id, [first, ...others]]) => (first ? [[id, toRun([first, ...others])] as const] : [])));
}
