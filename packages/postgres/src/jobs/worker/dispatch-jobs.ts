import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type { Database, Query } from "../../database/database.ts";
import type { NewTicket, Queue } from "./open-queue.ts";

interface DispatchOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Jobs of one tenant with the workers at once, where `job_limits` says nothing. */
  readonly mostAtOnce: number;
}

interface Chosen {
  readonly tenant: string;
  readonly job: string;
  /** How many of its tenant go before it. */
  readonly place: number;
}

/**
 * Hands jobs whose time has come to the workers, of each tenant only as many as it may have there at once: what a tenant has beyond that
 * waits in our table and stands in nobody's way. A tenant's first job goes before another's second, and so does a person's.
 */
export function dispatchJobs(database: Database, queue: Queue, { now, mostAtOnce }: DispatchOptions): Promise<number> {
  return database.asSystem(async (query) => {
    // One at a time, or two would each count the free places before the other takes them.
    await sql`select pg_advisory_xact_lock(hashtext('toolwright jobs'))`.execute(query);
    const chosen = await chooseJobs(query, { now, mostAtOnce });
    const tickets = await giveTickets(query, chosen, now);
    if (tickets.length === 0) return 0;
    await sql`select set_config('role', 'none', true)`.execute(query);
    await queue.add(query, tickets);
    return tickets.length;
  });
}

/** Gives tickets to the chosen jobs that nobody cancelled in the meantime. */
async function giveTickets(query: Query, chosen: readonly Chosen[], now: number): Promise<readonly NewTicket[]> {
  const tickets = chosen.map(({ tenant, job, place }) => ({ id: randomUUID(), tenant, job, priority: -place }));
  const { rows } = await sql<{ ticket: string }>`
    update toolwright.jobs set ticket = given.ticket, ticket_at = ${new Date(now)}
    from unnest(${tickets.map(({ tenant }) => tenant)}::text[], ${tickets.map(({ job }) => job)}::text[], ${tickets.map(({ id }) => id)}::uuid[])
      as given(tenant, job, ticket)
    where jobs.tenant = given.tenant and jobs.job = given.job and jobs.state = 'queued' and jobs.ticket is null
    returning jobs.ticket`.execute(query);
  const given = new Set(rows.map(({ ticket }) => ticket));
  return tickets.filter(({ id }) => given.has(id));
}

/**
 * Goes from one person with a job to the next by the index, and takes of each no more than the tenant has places for. A person's turn counts what they
 * have with the workers, so that nobody's second job goes before another's first.
 */
async function chooseJobs(query: Query, { now, mostAtOnce }: DispatchOptions): Promise<readonly Chosen[]> {
  const isDue = sql`j.state = 'queued' and j.ticket is null and j.run_at <= ${new Date(now)}`;
  const sharer = sql`coalesce(j.sharer, j.owner)`;
  const { rows } = await sql<Chosen>`
    with recursive room as (
      select t.tenant, coalesce(l.most_at_once, ${mostAtOnce}::int) as most,
        (select count(*) from toolwright.jobs j where j.tenant = t.tenant and j.ticket is not null)::int as busy
      from toolwright.tenants t left join toolwright.job_limits l on l.tenant = t.tenant
      where t.suspended_at is null
    ), sharers as (
      select tenant, most, busy, (select min(${sharer}) from toolwright.jobs j where j.tenant = room.tenant and ${isDue}) as sharer
      from room where busy < most
      union all
      select tenant, most, busy,
        (select min(${sharer}) from toolwright.jobs j where j.tenant = before.tenant and ${sharer} > before.sharer and ${isDue})
      from sharers before where sharer is not null
    ), handed as (
      select j.tenant, ${sharer} as sharer, count(*)::int as busy from toolwright.jobs j where j.ticket is not null group by 1, 2
    )
    select tenant, job, place from (
      select s.tenant, s.most, waiting.job, (s.busy + row_number() over (
        partition by s.tenant order by coalesce(handed.busy, 0) + waiting.turn, waiting.run_at, waiting.created_at, waiting.job))::int as place
      from sharers s left join handed on handed.tenant = s.tenant and handed.sharer = s.sharer
      cross join lateral (
        select j.job, j.run_at, j.created_at, row_number() over (order by j.run_at, j.created_at, j.job) as turn
        from toolwright.jobs j where j.tenant = s.tenant and ${sharer} = s.sharer and ${isDue}
        order by j.run_at, j.created_at, j.job limit s.most - s.busy
      ) waiting
    ) ranked where place <= most`.execute(query);
  return rows;
}
