-- breaking: no
-- Sessions belong to somebody, have a name that is their owner's alone, and are shared by their owner.

ALTER TABLE toolwright.sessions
  -- What the owner calls it.
  ADD COLUMN name text,
  -- Who may use it beside the owner, as in owner; '*' is everybody of the tenant.
  ADD COLUMN shared_with text[] NOT NULL DEFAULT '{}';
--> statement-breakpoint
-- Sessions from before belong to the actor of their first event. One whose first event retention removed, or that has none, keeps no owner: it is
-- for sessions:manage alone. The owner is written as the engine writes it: with its kind, except for a person whose id does not look like one.
UPDATE toolwright.sessions AS kept
  SET owner = CASE WHEN event.actor_kind = 'user' AND event.actor_id !~ '^(user|agent|service):' THEN event.actor_id
    ELSE event.actor_kind || ':' || event.actor_id END
  FROM toolwright.events AS event
  WHERE kept.owner IS NULL AND event.tenant = kept.tenant AND event.session = kept.session AND event.sequence = 1
    -- Those of hooks name the agent and nobody whose it is.
    AND event.door <> 'hook';
--> statement-breakpoint
-- What a caller named before finds its session again. Ids that the product drew are no names.
UPDATE toolwright.sessions SET name = session WHERE owner IS NOT NULL AND session NOT LIKE 'ses\_%' AND length(session) <= 200;
--> statement-breakpoint
CREATE UNIQUE INDEX sessions_by_name ON toolwright.sessions (tenant, owner, name) WHERE name IS NOT NULL;
--> statement-breakpoint
CREATE INDEX sessions_by_share ON toolwright.sessions USING gin (shared_with) WHERE shared_with <> '{}';
