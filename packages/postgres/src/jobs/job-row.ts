import type { Principal } from "@toolwright/engine";
import { type JobRecord, MANAGE_JOBS } from "@toolwright/engine/ports";
import type { Selectable } from "kysely";
import type { Query } from "../database/database.ts";
import type { JobTables } from "./job-tables.ts";

export interface JobName {
  readonly tenant: string;
  readonly job: string;
}

export type JobRow = Selectable<JobTables["toolwright.jobs"]>;

/** Whose job it is, as the column `owner` has it. */
export function ownerOf({ actor }: Pick<Principal, "actor">): string {
  return `${actor.kind} ${actor.id}`;
}

/** What a principal may see, and have others wait for: its own jobs, or with the permission all of its tenant. */
export function visibleJobs(query: Query, principal: Principal) {
  const rows = query.selectFrom("toolwright.jobs").selectAll().where("tenant", "=", principal.tenant);
  return principal.permissions.includes(MANAGE_JOBS) ? rows : rows.where("owner", "=", ownerOf(principal));
}

function toJobRecord(row: JobRow, dependsOn: readonly string[]): JobRecord {
  return {
    id: row.job,
    principal: row.principal,
    session: row.session,
    tool: row.tool,
    input: row.input,
    state: row.state,
    ...(row.schedule !== null && { schedule: row.schedule }),
    retry: row.retry,
    dependsOn,
    attempts: row.attempts,
    runAt: row.run_at.getTime(),
    createdAt: row.created_at.getTime(),
    ...(row.started_at && { startedAt: row.started_at.getTime() }),
    ...(row.ended_at && { endedAt: row.ended_at.getTime() }),
    ...(row.progress && { progress: row.progress }),
    ...(row.result && { result: row.result }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.state === "running" && row.cancel_reason !== null && { isCancelling: true }),
  };
}

/** With the parents of each. */
export async function toJobRecords(query: Query, tenant: string, rows: readonly JobRow[]): Promise<readonly JobRecord[]> {
  if (rows.length === 0) return [];
  const parents = await query
    .selectFrom("toolwright.job_dependencies")
    .select(["job", "parent"])
    .where("tenant", "=", tenant)
    .where(
      "job",
      "in",
      rows.map(({ job }) => job),
    )
    .orderBy("parent")
    .execute();
  const byJob = Map.groupBy(parents, ({ job }) => job);
  return rows.map((row) =>
    toJobRecord(
      row,
      (byJob.get(row.job) ?? []).map(({ parent }) => parent),
    ),
  );
}
