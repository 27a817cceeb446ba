-- breaking: no
-- What a process keeps for the one that comes after it: sessions that clients opened, and keys of what clients carry.

CREATE TABLE toolwright.client_sessions (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- SHA-256 of the id that the client has.
  session text NOT NULL CHECK (session ~ '^[0-9a-f]{64}$'),
  -- Digest of the principal that opened it.
  owner text NOT NULL,
  -- json and not jsonb: what a client sends may hold characters that jsonb refuses.
  opening json NOT NULL,
  used_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, session)
);
--> statement-breakpoint
CREATE INDEX client_sessions_by_use ON toolwright.client_sessions (used_at);
--> statement-breakpoint
CALL toolwright.protect_table('client_sessions');
--> statement-breakpoint
-- They prove that a process of this store sealed something, and nothing of who may do what. Backups leave them out.
CREATE TABLE toolwright.seal_keys (
  key_id text PRIMARY KEY,
  key bytea NOT NULL CHECK (length(key) = 32),
  created_at timestamptz NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('seal_keys');
