import type { CallResult, Json, Principal } from "@toolwright/engine";
import type { JobProgress, JobRetry, JobState, MissedRuns } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

/** Written as text, read as what the text says. */
type JsonText<Value> = ColumnType<Value, string, string>;

export interface JobTables {
  "toolwright.jobs": {
    tenant: string;
    job: string;
    owner: string;
    /** The person who shares the workers with others. */
    sharer: string | null;
    session: string;
    principal: JsonText<Principal>;
    tool: string;
    input: JsonText<Json>;
    sealed: string | null;
    input_digest: string | null;
    state: JobState;
    schedule: string | null;
    idempotency_key: string | null;
    request_digest: string;
    retry: JsonText<JobRetry>;
    run_at: Date;
    waits_for: Generated<number>;
    attempts: Generated<number>;
    failures: Generated<number>;
    try: Generated<number>;
    ticket: string | null;
    ticket_at: Date | null;
    repeatable: Generated<boolean>;
    worker: string | null;
    cancel_reason: string | null;
    progress: ColumnType<JobProgress | null, string | null, string | null>;
    result: ColumnType<CallResult | null, string | null, string | null>;
    reason: string | null;
    created_at: Date;
    started_at: Date | null;
    ended_at: Date | null;
  };
  "toolwright.job_dependencies": { tenant: string; job: string; parent: string };
  "toolwright.job_limits": { tenant: string; most_at_once: number };
  "toolwright.schedules": {
    tenant: string;
    schedule: string;
    owner: string;
    name: string;
    session: string | null;
    principal: JsonText<Principal>;
    tool: string;
    input: JsonText<Json>;
    sealed: string | null;
    input_digest: string | null;
    retry: JsonText<JobRetry>;
    cron: string | null;
    zone: string;
    missed: MissedRuns["rule"];
    most_missed: number;
    paused: Generated<boolean>;
    pause_reason: string | null;
    next_at: Date | null;
    last_at: Date | null;
    left_out: Generated<number>;
    created_at: Date;
  };
}
