import type { Generated } from "kysely";
import type { ApprovalTables } from "../approvals/tables.ts";
import type { ArtifactTables } from "../artifacts/tables.ts";
import type { CallTreeTables } from "../call-tree/tables.ts";
import type { CatalogueTables } from "../catalogue/tables.ts";
import type { ClientSessionTables } from "../client-sessions/tables.ts";
import type { EventTables } from "../events/tables.ts";
import type { ForeignTables } from "../foreign/tables.ts";
import type { GrantTables } from "../grants/tables.ts";
import type { HookTables } from "../hooks/tables.ts";
import type { IdempotencyTables } from "../idempotency/tables.ts";
import type { IdentityTables } from "../identity/identity-tables.ts";
import type { JobTables } from "../jobs/job-tables.ts";
import type { KnowledgeTables } from "../knowledge/tables.ts";
import type { LimitTables } from "../limits/tables.ts";
import type { MemoryTables } from "../memories/tables.ts";
import type { PolicyTables } from "../policies/tables.ts";
import type { RecoveryTables } from "../recovery/tables.ts";
import type { RetentionTables } from "../retention/tables.ts";
import type { RoomTables } from "../rooms/tables.ts";
import type { SealKeyTables } from "../seal-keys/tables.ts";
import type { SecretTables } from "../secrets/tables.ts";
import type { TurnTables } from "../turns/tables.ts";
import type { UsageTables } from "../usage/tables.ts";

export interface Tables
  extends CatalogueTables,
    ApprovalTables,
    CallTreeTables,
    ForeignTables,
    GrantTables,
    HookTables,
    IdempotencyTables,
    KnowledgeTables,
    LimitTables,
    RecoveryTables,
    RetentionTables,
    JobTables,
    ArtifactTables,
    EventTables,
    TurnTables,
    RoomTables,
    MemoryTables,
    UsageTables,
    IdentityTables,
    ClientSessionTables,
    SealKeyTables,
    PolicyTables,
    SecretTables {
  "toolwright.tenants": { tenant: string; name: string; created_at: Generated<Date>; suspended_at: Date | null };
}
