-- breaking: no
-- People, the tenants they belong to, what they may do there, and how they and their programs prove who they are.

-- Puts a table that belongs to no tenant under row-level security: the system role alone sees it.
CREATE PROCEDURE toolwright.protect_system_table(name text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE toolwright.%I ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE toolwright.%I FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY of_no_tenant ON toolwright.%I TO toolwright_system USING (true) WITH CHECK (true)', name);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON toolwright.%I TO toolwright_system', name);
END
$$;
--> statement-breakpoint
-- One person, in any number of tenants.
CREATE TABLE toolwright.users (
  id text PRIMARY KEY,
  name text NOT NULL,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  email_verified boolean NOT NULL DEFAULT false,
  image text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CALL toolwright.protect_system_table('users');
--> statement-breakpoint
-- Roles that a tenant made beside the built-in ones, which are code.
CREATE TABLE toolwright.roles (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  role text NOT NULL CHECK (role ~ '^[a-z][a-z0-9_-]{0,62}$' AND role NOT IN ('owner', 'admin', 'member', 'viewer')),
  permissions text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, role)
);
--> statement-breakpoint
CALL toolwright.protect_table('roles');
--> statement-breakpoint
CREATE TABLE toolwright.memberships (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  user_id text NOT NULL REFERENCES toolwright.users ON DELETE CASCADE,
  role text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, user_id)
);
--> statement-breakpoint
CREATE INDEX memberships_by_user ON toolwright.memberships (user_id);
--> statement-breakpoint
CALL toolwright.protect_table('memberships');
--> statement-breakpoint
-- A tenant sees name and address of its members, and nothing of anybody else.
CREATE POLICY own_members ON toolwright.users FOR SELECT TO toolwright_tenant
  USING (EXISTS (SELECT FROM toolwright.memberships m WHERE m.user_id = users.id AND m.tenant = toolwright.current_tenant()));
--> statement-breakpoint
GRANT SELECT (id, name, email) ON toolwright.users TO toolwright_tenant;
--> statement-breakpoint
CREATE TABLE toolwright.invitations (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  invitation text NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL,
  -- SHA-256 of the token in the link.
  hash text NOT NULL UNIQUE,
  invited_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  accepted_at timestamptz,
  PRIMARY KEY (tenant, invitation)
);
--> statement-breakpoint
CREATE UNIQUE INDEX one_open_invitation ON toolwright.invitations (tenant, email) WHERE accepted_at IS NULL;
--> statement-breakpoint
CALL toolwright.protect_table('invitations');
--> statement-breakpoint
CREATE TABLE toolwright.api_keys (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- The public part of the key, which finds it.
  key_id text NOT NULL UNIQUE CHECK (key_id ~ '^[a-z0-9]{16}$'),
  name text NOT NULL,
  -- SHA-256 of the whole key, which is nowhere else.
  hash text NOT NULL,
  permissions text[] NOT NULL,
  -- The only agent in whose name it calls.
  agent text,
  -- The member as whom it calls; without one it is a service.
  user_id text,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (tenant, key_id),
  FOREIGN KEY (tenant, user_id) REFERENCES toolwright.memberships ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('api_keys');
--> statement-breakpoint
-- Sign-ins. The cookie is the token with a signature, whose key is not in the database.
CREATE TABLE toolwright.auth_sessions (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL,
  token text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL,
  ip_address text,
  user_agent text,
  user_id text NOT NULL REFERENCES toolwright.users ON DELETE CASCADE,
  -- The tenant that the person acts in.
  active_tenant text REFERENCES toolwright.tenants ON DELETE SET NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('auth_sessions');
--> statement-breakpoint
-- How a person signs in: a password (scrypt), or an account at another server.
CREATE TABLE toolwright.auth_accounts (
  id text PRIMARY KEY,
  account_id text NOT NULL,
  provider_id text NOT NULL,
  user_id text NOT NULL REFERENCES toolwright.users ON DELETE CASCADE,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  password text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('auth_accounts');
--> statement-breakpoint
-- What is valid for minutes: authorization codes, the state of a sign-in elsewhere.
CREATE TABLE toolwright.auth_verifications (
  id text PRIMARY KEY,
  identifier text NOT NULL,
  value text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CALL toolwright.protect_system_table('auth_verifications');
--> statement-breakpoint
-- Attempts at each door of identity, so that passwords cannot be tried out.
CREATE TABLE toolwright.auth_rates (
  id text PRIMARY KEY,
  key text NOT NULL UNIQUE,
  count integer NOT NULL,
  last_request bigint NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('auth_rates');
--> statement-breakpoint
-- Programs that may ask people for access, as they registered themselves.
CREATE TABLE toolwright.oauth_clients (
  id text PRIMARY KEY,
  client_id text NOT NULL UNIQUE,
  client_secret text,
  client_discovery_id text,
  disabled boolean,
  skip_consent boolean,
  enable_end_session boolean,
  subject_type text,
  scopes jsonb,
  client_credentials_scopes jsonb,
  user_id text REFERENCES toolwright.users ON DELETE CASCADE,
  created_at timestamptz,
  updated_at timestamptz,
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  software_id text,
  software_version text,
  software_statement text,
  redirect_uris jsonb NOT NULL,
  post_logout_redirect_uris jsonb,
  backchannel_logout_uri text,
  backchannel_logout_session_required boolean,
  token_endpoint_auth_method text,
  application_type text,
  jwks text,
  jwks_uri text,
  grant_types jsonb,
  response_types jsonb,
  require_pkce boolean,
  dpop_bound_access_tokens boolean,
  reference_id text,
  metadata jsonb
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_clients');
--> statement-breakpoint
-- Addresses that access tokens are for (RFC 8707).
CREATE TABLE toolwright.oauth_resources (
  id text PRIMARY KEY,
  identifier text NOT NULL UNIQUE,
  name text NOT NULL,
  access_token_ttl integer,
  refresh_token_ttl integer,
  signing_algorithm text,
  signing_key_id text,
  allowed_scopes jsonb,
  custom_claims jsonb,
  dpop_bound_access_tokens_required boolean,
  disabled boolean,
  created_at timestamptz,
  updated_at timestamptz,
  policy_version integer,
  metadata jsonb
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_resources');
--> statement-breakpoint
CREATE TABLE toolwright.oauth_client_resources (
  id text PRIMARY KEY,
  client_id text NOT NULL REFERENCES toolwright.oauth_clients (client_id) ON DELETE CASCADE,
  resource_id text NOT NULL REFERENCES toolwright.oauth_resources (identifier) ON DELETE CASCADE,
  metadata jsonb,
  created_at timestamptz,
  UNIQUE (client_id, resource_id)
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_client_resources');
--> statement-breakpoint
-- Tokens are kept as SHA-256 only. reference_id is the tenant that the person chose.
CREATE TABLE toolwright.oauth_refresh_tokens (
  id text PRIMARY KEY,
  token text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES toolwright.oauth_clients (client_id) ON DELETE CASCADE,
  session_id text REFERENCES toolwright.auth_sessions ON DELETE SET NULL,
  user_id text NOT NULL REFERENCES toolwright.users ON DELETE CASCADE,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  revoked timestamptz,
  rotated_at timestamptz,
  rotation_replay_response text,
  rotation_replay_expires_at timestamptz,
  auth_time timestamptz,
  confirmation jsonb,
  scopes jsonb NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_refresh_tokens');
--> statement-breakpoint
CREATE TABLE toolwright.oauth_access_tokens (
  id text PRIMARY KEY,
  token text NOT NULL UNIQUE,
  client_id text NOT NULL REFERENCES toolwright.oauth_clients (client_id) ON DELETE CASCADE,
  session_id text REFERENCES toolwright.auth_sessions ON DELETE SET NULL,
  user_id text REFERENCES toolwright.users ON DELETE CASCADE,
  reference_id text,
  authorization_code_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  refresh_id text REFERENCES toolwright.oauth_refresh_tokens ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  revoked timestamptz,
  confirmation jsonb,
  scopes jsonb NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_access_tokens');
--> statement-breakpoint
-- What a person allowed a client; without it no token of the client is valid.
CREATE TABLE toolwright.oauth_consents (
  id text PRIMARY KEY,
  client_id text NOT NULL REFERENCES toolwright.oauth_clients (client_id) ON DELETE CASCADE,
  user_id text REFERENCES toolwright.users ON DELETE CASCADE,
  reference_id text,
  resources jsonb,
  requested_user_info_claims jsonb,
  scopes jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_consents');
--> statement-breakpoint
CREATE TABLE toolwright.oauth_client_assertions (
  id text PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('oauth_client_assertions');
--> statement-breakpoint
CREATE INDEX auth_sessions_by_user_id ON toolwright.auth_sessions (user_id);
--> statement-breakpoint
CREATE INDEX auth_accounts_by_user_id ON toolwright.auth_accounts (user_id);
--> statement-breakpoint
CREATE INDEX auth_verifications_by_identifier ON toolwright.auth_verifications (identifier);
--> statement-breakpoint
CREATE INDEX oauth_clients_by_user_id ON toolwright.oauth_clients (user_id);
--> statement-breakpoint
CREATE INDEX oauth_client_resources_by_resource_id ON toolwright.oauth_client_resources (resource_id);
--> statement-breakpoint
CREATE INDEX oauth_refresh_tokens_by_client_id ON toolwright.oauth_refresh_tokens (client_id);
--> statement-breakpoint
CREATE INDEX oauth_refresh_tokens_by_session_id ON toolwright.oauth_refresh_tokens (session_id);
--> statement-breakpoint
CREATE INDEX oauth_refresh_tokens_by_user_id ON toolwright.oauth_refresh_tokens (user_id);
--> statement-breakpoint
CREATE INDEX oauth_refresh_tokens_by_authorization_code_id ON toolwright.oauth_refresh_tokens (authorization_code_id);
--> statement-breakpoint
CREATE INDEX oauth_access_tokens_by_client_id ON toolwright.oauth_access_tokens (client_id);
--> statement-breakpoint
CREATE INDEX oauth_access_tokens_by_session_id ON toolwright.oauth_access_tokens (session_id);
--> statement-breakpoint
CREATE INDEX oauth_access_tokens_by_user_id ON toolwright.oauth_access_tokens (user_id);
--> statement-breakpoint
CREATE INDEX oauth_access_tokens_by_authorization_code_id ON toolwright.oauth_access_tokens (authorization_code_id);
--> statement-breakpoint
CREATE INDEX oauth_access_tokens_by_refresh_id ON toolwright.oauth_access_tokens (refresh_id);
--> statement-breakpoint
CREATE INDEX oauth_consents_by_client_id ON toolwright.oauth_consents (client_id);
--> statement-breakpoint
CREATE INDEX oauth_consents_by_user_id ON toolwright.oauth_consents (user_id);
