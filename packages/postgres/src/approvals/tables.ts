import type { ApprovalRecord } from "@toolwright/engine";
import type { ApprovalAnswer } from "@toolwright/engine/ports";
import type { ColumnType } from "kysely";

export interface ApprovalTables {
  "toolwright.approvals": {
    tenant: string;
    approval: string;
    call_id: string;
    record: ColumnType<ApprovalRecord, string, never>;
    answers: ColumnType<readonly ApprovalAnswer[], string | undefined, string>;
    created_at: Date;
    expires_at: Date;
    settled_at: Date | null;
    claimed_at: Date | null;
    claimed_by: string | null;
    expired_at: Date | null;
  };
}
