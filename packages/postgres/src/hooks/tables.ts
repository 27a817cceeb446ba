import type { Principal } from "@toolwright/engine";
import type { ColumnType } from "kysely";

export interface HookTables {
  "toolwright.hooks": {
    tenant: string;
    hook: string;
    name: string;
    agent: string;
    channel: string;
    target: string | null;
    credential: string | null;
    secret: string;
    principal: ColumnType<Principal, string, string>;
    created_at: Date;
  };
}
