import type { Actor } from "@toolwright/engine";
import type { GrantRecord } from "@toolwright/engine/ports";
import type { ColumnType, Generated } from "kysely";

export interface GrantTables {
  "toolwright.grants": {
    tenant: string;
    grant_id: string;
    tool: string;
    record: ColumnType<GrantRecord, string, never>;
    created_at: Date;
    expires_at: Date;
    max_uses: number;
    used: Generated<number>;
    last_used_at: Date | null;
    revoked_at: Date | null;
    revoked_by: ColumnType<Actor | null, string | null, string | null>;
  };
}
