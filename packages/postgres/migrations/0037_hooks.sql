-- breaking: no
-- Addresses to which others send webhooks, for agents to answer.

CREATE TABLE toolwright.hooks (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  hook text NOT NULL,
  name text NOT NULL,
  -- No reference: a tenant that has made no agents has one that is stored nowhere.
  agent text NOT NULL,
  channel text NOT NULL,
  -- Where messages go out to, and the name of the secret that is sent along; null for channels that send none.
  target text,
  credential text,
  -- Name of the secret that its webhooks are signed with.
  secret text NOT NULL,
  -- json and not jsonb, which cannot hold every text.
  principal json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, hook),
  UNIQUE (tenant, name)
);
--> statement-breakpoint
-- Who sends names no tenant.
CREATE UNIQUE INDEX hooks_by_id ON toolwright.hooks (hook);
--> statement-breakpoint
CALL toolwright.protect_table('hooks');
