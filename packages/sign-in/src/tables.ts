import type { ColumnType, Kysely } from "kysely";

type Time = ColumnType<Date, Date, Date>;

/** The tables and columns that the package asks for by itself. The sign-in library asks for more of them; the migrations of the store make them all. */
export interface SignInTables {
  "toolwright.users": { id: string; name: string; email: string };
  "toolwright.memberships": { tenant: string; user_id: string };
  "toolwright.auth_sessions": { id: string; active_tenant: string | null };
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
    revoked: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  "toolwright.oauth_consents": {
    client_id: string;
    user_id: string | null;
    reference_id: string | null;
    last_used_at: ColumnType<Date | null, Date | null | undefined, Date | null>;
  };
  "toolwright.oauth_refresh_tokens": { token: string; user_id: string; reference_id: string | null };
  "toolwright.oauth_client_resources": { client_id: string };
  "toolwright.oauth_clients": {
    client_id: string;
    name: string | null;
    /** JSON: an array of texts. */
    redirect_uris: unknown;
    disabled: boolean | null;
    client_discovery_id: string | null;
  };
}

/**
 * How signing in reaches the tables of the store. *Contract:* a query sees the rows of every tenant, and each runs in a transaction of its own;
 * transactions over several queries are not asked for.
 */
export type SignInHandle = Kysely<SignInTables>;
