import type { CallResult } from "@toolwright/engine";
import { idempotencyKeyOf } from "@toolwright/engine/ports";
import type { Query } from "../../database/database.ts";
import type { JobRow } from "../job-row.ts";

/**
 * The key under which a job's call passes the gate: one for each try. A try that failed and may be made again gets a new key, so it runs
 * again. Another worker that takes up a try which its first one left has the same key, so the tool runs once: it is told how the first run
 * ended, if it did; where that run never came to its start the key is free, and for a tool that may run twice it is freed when the process
 * is found to be gone. A run that was cut off in the middle ends as unknown under the key, and so does the job.
 */
export function callKeyOf({ job, try: number }: Pick<JobRow, "job" | "try">): string {
  return `${job} ${number}`;
}

/** What the store holds of the call of this try: how it ended, that it has not, or (undefined) nothing. */
export type RecordedCall = { readonly result: CallResult | null } | undefined;

export function readRecorded(query: Query, row: JobRow): Promise<RecordedCall> {
  return query
    .selectFrom("toolwright.idempotency_keys")
    .select("result")
    .where("tenant", "=", row.tenant)
    .where("key", "=", idempotencyKeyOf({ ...row.principal, tenant: row.tenant }, callKeyOf(row)))
    .executeTakeFirst();
}
