import type { CallResult } from "@toolwright/engine";
import type { ColumnType, Generated } from "kysely";

export interface IdempotencyTables {
  "toolwright.idempotency_keys": {
    tenant: string;
    key: string;
    fingerprint: string;
    call_id: string;
    process: string;
    result: ColumnType<CallResult | null, string | null | undefined, string | null>;
    is_final: Generated<boolean>;
    expires_at: Date;
    claimed_at: Generated<Date>;
    changed_at: Generated<Date>;
    is_followed: Generated<boolean>;
  };
}
