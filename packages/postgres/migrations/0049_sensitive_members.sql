-- breaking: no
-- Calls that wait with sensitive members: a key for each tenant seals them, and the master key, which is never in the database, seals that.

CREATE TABLE toolwright.tenant_keys (
  tenant text PRIMARY KEY REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- Of the master key that wraps the data key.
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
--> statement-breakpoint
CALL toolwright.protect_table('tenant_keys');
--> statement-breakpoint
-- The input with its sensitive members, encrypted; in "input" their lengths stand.
ALTER TABLE toolwright.jobs ADD COLUMN sealed text, ADD COLUMN input_digest text;
--> statement-breakpoint
ALTER TABLE toolwright.schedules ADD COLUMN sealed text, ADD COLUMN input_digest text;
