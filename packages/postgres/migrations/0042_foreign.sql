-- breaking: no
-- What sessions have read that nobody here wrote: the first places of each, with the call that read it there first. Nothing but the end of the
-- tenant removes one.

CREATE TABLE toolwright.foreign_marks (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  session text NOT NULL,
  -- SHA-256 of kind and place.
  source text NOT NULL CHECK (source ~ '^[0-9a-f]{64}$'),
  kind text NOT NULL,
  -- json and not text: what comes from elsewhere may hold characters that text refuses.
  place json,
  call_id text NOT NULL,
  tool text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant, session, source)
);
--> statement-breakpoint
CALL toolwright.protect_table('foreign_marks', 'SELECT, INSERT');
