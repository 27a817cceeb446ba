-- breaking: no
-- Work on the whole store that one process at a time does when it is due. It belongs to no tenant.

CREATE TABLE toolwright.upkeep (
  work text PRIMARY KEY,
  due_at timestamptz NOT NULL,
  -- Who is at it, and until when it is believed to be; null for nobody.
  process text,
  leased_until timestamptz,
  -- Of the last time that it was done to its end.
  done_at timestamptz,
  outcome jsonb
);
--> statement-breakpoint
CALL toolwright.protect_system_table('upkeep');
