import type { CallResult } from "@toolwright/engine";
import type { StepRecord, SuspendedCall } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

export interface CallTreeTables {
  "toolwright.suspended_calls": {
    tenant: string;
    call_id: string;
    tool: string;
    call: ColumnType<SuspendedCall, string, never>;
    created_at: Date;
    expires_at: Date;
    /** `-infinity` once everything is answered. */
    due_at: ColumnType<unknown, Date, Date>;
    ran_ms: number;
    holder: string;
    held_until: Date;
    result: ColumnType<CallResult | null, never, string>;
    keep_until: Date | null;
  };
  "toolwright.suspended_steps": {
    tenant: string;
    root: string;
    parent: string;
    step: string;
    call_id: string;
    is_ended: boolean;
    record: ColumnType<StepRecord, string, string>;
  };
  "toolwright.suspended_waits": { tenant: string; root: string; kind: string; id: string; is_over: Generated<boolean> };
}
