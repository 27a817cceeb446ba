-- breaking: no
-- Sessions have an owner, a kind and a title; and the log takes events that belong to no call.

-- Every session that has events has its row already, as its chain needs one: those rows are sessions of the kind "calls" without an owner.
-- Processes of the version before go on making such rows.
ALTER TABLE toolwright.sessions
  -- Id of a person. Null: everybody of the tenant who names the session may use it.
  ADD COLUMN owner text,
  ADD COLUMN agent text,
  ADD COLUMN kind text NOT NULL DEFAULT 'calls',
  ADD COLUMN title text,
  ADD COLUMN status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'archived'));
--> statement-breakpoint
-- By what never changes: every write of an event stays an update in place.
CREATE INDEX sessions_by_owner ON toolwright.sessions (tenant, owner) WHERE owner IS NOT NULL;
--> statement-breakpoint
ALTER TABLE toolwright.events ALTER COLUMN call_id DROP NOT NULL, ALTER COLUMN tool DROP NOT NULL;
--> statement-breakpoint
-- Without a check of the rows that are there: they were written when both columns took no null.
ALTER TABLE toolwright.events ADD CONSTRAINT events_of_calls CHECK (type NOT LIKE 'tool.%' OR (call_id IS NOT NULL AND tool IS NOT NULL)) NOT VALID;
