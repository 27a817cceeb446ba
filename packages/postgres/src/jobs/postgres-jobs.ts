import type { Principal } from "@toolwright/engine";
import type { Ids, JobRecord, Jobs } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { endJob } from "./end-job.ts";
import { enqueueJob } from "./enqueue-job.ts";
import { type JobRow, toJobRecords, visibleJobs } from "./job-row.ts";
import { redriveJob } from "./redrive-job.ts";
import { noSuchJob, refuseJob } from "./refuse-job.ts";

/** Announced with the job's id: its state or progress changed. */
export const jobsTopic = "jobs";
/** Announced when there may be something for a worker. */
export const workTopic = "jobs to do";
/** Announced with the job's id: its call shall end. */
export const cancelTopic = "jobs to cancel";

export interface JobParts {
  readonly ids: Ids;
  readonly now: () => number;
  /** Jobs of one person that wait or run. Default 1,000. */
  readonly mostOfPerson?: number;
}

const defaultPage = 100;
const largestPage = 1_000;

/** Jobs in PostgreSQL. Any process makes them; workers run them. */
export function createPostgresJobs(database: Database, { ids, now, mostOfPerson }: JobParts): Jobs {
  const change = async (principal: Principal, id: string, work: (query: Query, row: JobRow) => Promise<readonly string[]>) => {
    const { tenant } = principal;
    const { record, changed } = await database.asTenant(tenant, async (query) => {
      const row = await readJob(query, principal, id, { lock: true });
      const changed = await work(query, row);
      return { changed, record: await readRecord(query, principal, id) };
    });
    announceChanges(database, tenant, changed);
    return record;
  };
  return {
    async enqueue(principal, request) {
      const { tenant } = principal;
      const { record, isNew } = await database.asTenant(tenant, async (query) => {
        const { row, isNew } = await enqueueJob(query, { id: ids.next("job"), principal, request, now: now(), mostOfPerson });
        const [record] = await toJobRecords(query, tenant, [row]);
        return { record: record as JobRecord, isNew };
      });
      if (isNew) announceChanges(database, tenant, [record.id]);
      return record;
    },
    get: (principal, id) => database.asTenant(principal.tenant, (query) => readRecord(query, principal, id)),
    list: (principal, filter = {}) =>
      database.asTenant(principal.tenant, async (query) => {
        let rows = visibleJobs(query, principal).orderBy("created_at", "desc").orderBy("job", "desc");
        if (filter.states) rows = rows.where("state", "in", [...filter.states]);
        if (filter.tool !== undefined) rows = rows.where("tool", "=", storableText(filter.tool));
        if (filter.schedule !== undefined) rows = rows.where("schedule", "=", storableText(filter.schedule));
        const found = await rows.limit(Math.min(filter.limit ?? defaultPage, largestPage)).execute();
        return toJobRecords(query, principal.tenant, found);
      }),
    async cancel(principal, id, reason = "It was cancelled.") {
      const record = await change(principal, id, (query, row) => cancelJob(query, row, { reason, at: now() }));
      if (record.isCancelling) database.announce({ topic: cancelTopic, tenant: principal.tenant, id });
      return record;
    },
    redrive: (principal, id, { mayRepeat = false } = {}) =>
      change(principal, id, (query, row) => redriveJob(query, row, { tenant: row.tenant, job: row.job, mayRepeat, now: now() })),
    async remove(principal, id) {
      const { tenant } = principal;
      await database.asTenant(tenant, async (query) => removeJob(query, await readJob(query, principal, id, { lock: true })));
      database.announce({ topic: jobsTopic, tenant, id });
    },
    follow: (tenant, listener) =>
      database.listen(jobsTopic, (announcement) => {
        if (!announcement || announcement.tenant === tenant) listener(announcement?.id);
      }),
  };
}

export function announceChanges(database: Database, tenant: string, changed: readonly string[]): void {
  for (const id of changed) database.announce({ topic: jobsTopic, tenant, id });
  if (changed.length > 0) database.announce({ topic: workTopic, tenant, id: "" });
}

/** Gives the jobs whose state changed; one that runs is told by its worker. */
export async function cancelJob(
  query: Query,
  { tenant, job, state }: JobRow,
  { reason, at }: { readonly reason: string; readonly at: number },
): Promise<readonly string[]> {
  if (state !== "running") return endJob(query, { tenant, job }, { state: "cancelled", reason, at });
  await query
    .updateTable("toolwright.jobs")
    .set({ cancel_reason: storableText(reason) })
    .where("tenant", "=", tenant)
    .where("job", "=", job)
    .execute();
  return [job];
}

/** What was skipped for it can then have another try of its own. */
async function removeJob(query: Query, { tenant, job, state }: JobRow): Promise<void> {
  if (state === "blocked" || state === "queued" || state === "running")
    throw refuseJob(`${job} is ${state}. Cancel it first, or wait for its end.`);
  await query.deleteFrom("toolwright.jobs").where("tenant", "=", tenant).where("job", "=", job).execute();
}

async function readJob(query: Query, principal: Principal, id: string, { lock }: { readonly lock: boolean }): Promise<JobRow> {
  const rows = visibleJobs(query, principal).where("job", "=", storableText(id));
  const row = await (lock ? rows.forUpdate() : rows).executeTakeFirst();
  if (!row) throw noSuchJob(id);
  return row;
}

async function readRecord(query: Query, principal: Principal, id: string): Promise<JobRecord> {
  const row = await readJob(query, principal, id, { lock: false });
  const [record] = await toJobRecords(query, principal.tenant, [row]);
  return record as JobRecord;
}
