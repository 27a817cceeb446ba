-- breaking: no
-- Calls that wait inside: a root, its steps that have begun or ended, and what it waits for.

CREATE TABLE toolwright.suspended_calls (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  call_id text NOT NULL,
  tool text NOT NULL,
  -- json and not jsonb, here and below: input and output may hold characters that jsonb refuses.
  call json NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- From when on it waits for nothing any more; '-infinity' once everything is answered.
  due_at timestamptz NOT NULL,
  ran_ms bigint NOT NULL,
  -- The run that goes on with it, and until when without another sign of life.
  holder text NOT NULL,
  held_until timestamptz NOT NULL,
  -- How it ended, kept for whoever asks later.
  result json,
  keep_until timestamptz,
  PRIMARY KEY (tenant, call_id)
);
--> statement-breakpoint
CREATE INDEX suspended_calls_due ON toolwright.suspended_calls (due_at) WHERE keep_until IS NULL;
--> statement-breakpoint
CREATE INDEX suspended_calls_by_tool ON toolwright.suspended_calls (tenant, tool) WHERE keep_until IS NULL;
--> statement-breakpoint
CREATE INDEX suspended_calls_over ON toolwright.suspended_calls (keep_until) WHERE keep_until IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('suspended_calls');
--> statement-breakpoint
CREATE TABLE toolwright.suspended_steps (
  tenant text NOT NULL,
  root text NOT NULL,
  parent text NOT NULL,
  step text NOT NULL,
  -- Of the step itself.
  call_id text NOT NULL,
  is_ended boolean NOT NULL,
  record json NOT NULL,
  PRIMARY KEY (tenant, root, parent, step),
  FOREIGN KEY (tenant, root) REFERENCES toolwright.suspended_calls (tenant, call_id) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX suspended_steps_by_call ON toolwright.suspended_steps (tenant, call_id);
--> statement-breakpoint
CALL toolwright.protect_table('suspended_steps');
--> statement-breakpoint
CREATE TABLE toolwright.suspended_waits (
  tenant text NOT NULL,
  root text NOT NULL,
  kind text NOT NULL,
  id text NOT NULL,
  is_over boolean NOT NULL DEFAULT false,
  PRIMARY KEY (tenant, root, kind, id),
  FOREIGN KEY (tenant, root) REFERENCES toolwright.suspended_calls (tenant, call_id) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX suspended_waits_open ON toolwright.suspended_waits (tenant, kind, id) WHERE NOT is_over;
--> statement-breakpoint
CALL toolwright.protect_table('suspended_waits');
--> statement-breakpoint
-- Ends a wait wherever it is waited for. The calls are locked first: of two waits that end at once, the second sees that the first is over.
CREATE FUNCTION toolwright.end_wait(of_tenant text, of_kind text, of_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM toolwright.suspended_calls AS kept
    WHERE kept.tenant = of_tenant AND kept.call_id IN (
      SELECT w.root FROM toolwright.suspended_waits AS w WHERE w.tenant = of_tenant AND w.kind = of_kind AND w.id = of_id AND NOT w.is_over)
    ORDER BY kept.call_id COLLATE "C" FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  UPDATE toolwright.suspended_waits SET is_over = true WHERE tenant = of_tenant AND kind = of_kind AND id = of_id;
  UPDATE toolwright.suspended_calls AS kept SET due_at = '-infinity'
    WHERE kept.tenant = of_tenant AND kept.keep_until IS NULL
      AND kept.call_id IN (SELECT w.root FROM toolwright.suspended_waits AS w WHERE w.tenant = of_tenant AND w.kind = of_kind AND w.id = of_id)
      AND NOT EXISTS (SELECT FROM toolwright.suspended_waits AS w WHERE w.tenant = of_tenant AND w.root = kept.call_id AND NOT w.is_over);
END
$$;
--> statement-breakpoint
-- Of every approval that is settled, in the transaction that settles it, also where a process of the version before does.
CREATE FUNCTION toolwright.end_approval_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM toolwright.end_wait(NEW.tenant, 'approval', NEW.approval);
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER approvals_end_waits AFTER UPDATE OF settled_at ON toolwright.approvals
  FOR EACH ROW WHEN (OLD.settled_at IS NULL AND NEW.settled_at IS NOT NULL) EXECUTE FUNCTION toolwright.end_approval_wait();
