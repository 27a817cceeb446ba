-- breaking: no
-- Policies of tenants, version by version.

CREATE TABLE toolwright.policy_versions (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- Counts from 1, without a gap; the highest is in force.
  revision bigint NOT NULL CHECK (revision > 0),
  -- json and not jsonb: it stays as its author wrote it.
  document json NOT NULL,
  author_kind text NOT NULL,
  author_id text NOT NULL,
  note text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, revision)
);
--> statement-breakpoint
-- Nobody changes or removes a version.
CALL toolwright.protect_table('policy_versions', 'SELECT, INSERT');
