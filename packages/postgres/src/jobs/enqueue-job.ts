import type { Principal } from "@toolwright/engine";
import { digest, type JobRequest, limitReached, sharerOf, usualPersonLimits } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { type JobRow, ownerOf, visibleJobs } from "./job-row.ts";
import { checkInput, checkKey, checkText, checkTime, noSuchJob, readRetry, refuseJob } from "./refuse-job.ts";

interface NewJob {
  readonly id: string;
  readonly principal: Principal;
  readonly request: JobRequest;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly schedule?: string;
  /** Jobs of one person that wait or run. Default 1,000. */
  readonly mostOfPerson?: number | undefined;
}

const mostParents = 100;

/** Makes the job, or gives the one that was made with its key before. */
export async function enqueueJob(query: Query, made: NewJob): Promise<{ readonly row: JobRow; readonly isNew: boolean }> {
  const { principal, request, id } = made;
  checkText("tool", request.tool);
  checkText("session", request.session);
  if (made.schedule === undefined) checkKey(request.idempotencyKey);
  checkInput(request.input);
  const parents = await lockParents(query, principal, [...new Set(request.dependsOn)]);
  const stopped = parents.find(({ state }) => endedBadly.has(state));
  const waitsFor = parents.filter(({ state }) => state !== "done").length;
  const state = stopped ? "skipped" : waitsFor > 0 ? "blocked" : "queued";
  const row = await query
    .insertInto("toolwright.jobs")
    .values({
      ...toColumns(made),
      state,
      waits_for: waitsFor,
      ...(stopped && { reason: whySkipped(stopped.job, stopped.state), ended_at: new Date(made.now) }),
    })
    .onConflict((conflict) => conflict.columns(["tenant", "owner", "idempotency_key"]).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) return { row: await findByKey(query, made), isNew: false };
  if (made.schedule === undefined) await checkCount(query, row, made.mostOfPerson);
  if (parents.length > 0)
    await query
      .insertInto("toolwright.job_dependencies")
      .values(parents.map(({ job }) => ({ tenant: principal.tenant, job: id, parent: job })))
      .execute();
  return { row, isNew: true };
}

async function checkCount(query: Query, { tenant, owner, sharer }: JobRow, most = usualPersonLimits.jobs): Promise<void> {
  if ((await countJobs(query, tenant, sharer ?? owner)) > most) throw limitReached("jobs", most);
}

/** Jobs of a person that wait or run. Schedules make one job at a time: they are not counted. */
export async function countJobs(query: Query, tenant: string, person: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from toolwright.jobs
    where tenant = ${tenant} and coalesce(sharer, owner) = ${person} and state in ('blocked', 'queued', 'running') and schedule is null`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}

export const endedBadly: ReadonlySet<JobRow["state"]> = new Set(["failed", "denied", "cancelled", "unknown", "skipped"]);

export function whySkipped(parent: string, state: string): string {
  return `It was to run after ${parent}, which ended as ${state}.`;
}

function toColumns({ id, principal, request, now, schedule }: NewJob) {
  const runAt = request.runAt ?? now;
  checkTime(runAt);
  return {
    tenant: principal.tenant,
    job: id,
    owner: ownerOf(principal),
    sharer: storableText(sharerOf(principal).person),
    session: request.session ?? id,
    principal: JSON.stringify(principal),
    tool: request.tool,
    input: JSON.stringify(request.input),
    sealed: request.sealed ?? null,
    input_digest: request.inputDigest ?? null,
    schedule: schedule ?? null,
    idempotency_key: request.idempotencyKey ?? null,
    request_digest: digestOf(request),
    retry: JSON.stringify(readRetry(request.retry)),
    run_at: new Date(runAt),
    created_at: new Date(now),
  };
}

const digestOf = ({ tool, input, inputDigest, session, dependsOn }: JobRequest) =>
  digest([tool, inputDigest ?? input, session ?? null, [...(dependsOn ?? [])].sort()]);

/** Locked, so that none of them ends between the look at its state and the child's waiting for it. */
async function lockParents(query: Query, principal: Principal, ids: readonly string[]): Promise<readonly Pick<JobRow, "job" | "state">[]> {
  if (ids.length === 0) return [];
  if (ids.length > mostParents) throw refuseJob(`A job waits for ${mostParents} others at most; ${ids.length} were named.`);
  const parents = await visibleJobs(query, principal)
    .clearSelect()
    .select(["job", "state"])
    .where("job", "in", ids.map(storableText))
    .orderBy("job")
    .forShare()
    .execute();
  const missing = ids.find((id) => !parents.some(({ job }) => job === id));
  if (missing !== undefined) throw noSuchJob(missing);
  return parents;
}

async function findByKey(query: Query, { principal, request }: NewJob): Promise<JobRow> {
  const row = await query
    .selectFrom("toolwright.jobs")
    .selectAll()
    .where("tenant", "=", principal.tenant)
    .where("owner", "=", ownerOf(principal))
    .where("idempotency_key", "=", request.idempotencyKey ?? "")
    .executeTakeFirstOrThrow();
  if (row.request_digest !== digestOf(request))
    throw refuseJob(`The idempotency key was used before for another job, ${row.job}. Use a new key for a new job.`);
  return row;
}
