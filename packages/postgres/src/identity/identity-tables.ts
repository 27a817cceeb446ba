import type { ColumnType, Generated } from "kysely";

type Time = ColumnType<Date, Date, Date>;
type LaterTime = ColumnType<Date | null, Date | null | undefined, Date | null>;

export interface IdentityTables {
  "toolwright.users": { id: string; name: string; email: string; email_verified: Generated<boolean>; created_at: Generated<Date> };
  "toolwright.roles": { tenant: string; role: string; permissions: string[]; created_at: Generated<Date> };
  "toolwright.memberships": { tenant: string; user_id: string; role: string; created_at: Generated<Date> };
  "toolwright.invitations": {
    tenant: string;
    invitation: string;
    email: string;
    role: string;
    hash: string;
    invited_by: string;
    created_at: Time;
    expires_at: Time;
    accepted_at: LaterTime;
  };
  "toolwright.api_keys": {
    tenant: string;
    key_id: string;
    name: string;
    hash: string;
    permissions: string[];
    agent: string | null;
    user_id: string | null;
    created_by: string;
    created_at: Time;
    expires_at: Time;
    last_used_at: LaterTime;
    revoked_at: LaterTime;
  };
  "toolwright.password_resets": { user_id: string; hash: string; created_by: string; created_at: Time; expires_at: Time };
  "toolwright.auth_sessions": {
    id: string;
    active_tenant: string | null;
    user_id: string;
    created_at: Time;
    updated_at: Time;
    expires_at: Time;
    ip_address: string | null;
    user_agent: string | null;
  };
  "toolwright.auth_accounts": {
    id: string;
    account_id: string;
    provider_id: string;
    user_id: string;
    password: string | null;
    updated_at: Time;
  };
  "toolwright.oauth_access_tokens": {
    token: string;
    client_id: string;
    user_id: string | null;
    reference_id: string | null;
    resources: string[] | null;
    scopes: string[];
    expires_at: Time;
    revoked: LaterTime;
  };
  "toolwright.oauth_refresh_tokens": { token: string; client_id: string; user_id: string; reference_id: string | null };
  "toolwright.auth_verifications": { value: string };
  "toolwright.oauth_consents": {
    client_id: string;
    user_id: string | null;
    reference_id: string | null;
    scopes: string[];
    created_at: Time;
    last_used_at: LaterTime;
  };
  "toolwright.oauth_client_resources": { client_id: string; resource_id: string };
  "toolwright.oauth_clients": {
    client_id: string;
    name: string | null;
    uri: string | null;
    /** JSON: an array of texts. */
    redirect_uris: unknown;
    disabled: boolean | null;
    client_discovery_id: string | null;
    updated_at: LaterTime;
  };
}
