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
    /** As `writeBinding` writes it; null for a secret that is sent nowhere. */
    binding: string | null;
    created_at: Generated<Date>;
    changed_at: Generated<Date>;
    last_used_at: Date | null;
    last_used_by: string | null;
  };
  "toolwright.tenant_keys": {
    tenant: string;
    key_id: string;
    wrapped_key: Uint8Array;
    sealed: Uint8Array;
    created_at: Generated<Date>;
  };
}
