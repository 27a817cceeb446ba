import type { Generated } from "kysely";

export interface SecretTables {
  "toolwright.secrets": {
    tenant: string;
    /** Empty for one of the whole tenant. */
    agent: string;
    name: string;
    generation: number;
    key_id: string;
    wrapped_key: Uint8Array;
    sealed: Uint8Array;
    created_at: Generated<Date>;
    changed_at: Generated<Date>;
  };
}
