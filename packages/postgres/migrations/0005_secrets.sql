-- breaking: no
-- Secrets of tenants and agents, encrypted: what is here is worth nothing without the master key, which is never in the database.

CREATE TABLE toolwright.secrets (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  -- '' for one of the whole tenant. No reference: policies speak of agents that have no row.
  agent text NOT NULL DEFAULT '',
  name text NOT NULL,
  -- The revision of the tenant's area "secrets" when it was set: no two values of a tenant have the same.
  generation bigint NOT NULL,
  -- Of the master key that wraps the data key.
  key_id text NOT NULL,
  wrapped_key bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, agent, name)
);
--> statement-breakpoint
CREATE INDEX secrets_by_key ON toolwright.secrets (key_id);
--> statement-breakpoint
CALL toolwright.protect_table('secrets');
--> statement-breakpoint
-- An agent that is made anew under an old name does not inherit the secrets of the one before.
CREATE FUNCTION toolwright.remove_secrets_of_agent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM toolwright.secrets WHERE tenant = OLD.tenant AND agent = OLD.agent;
  IF FOUND THEN
    UPDATE toolwright.revisions SET revision = revision + 1 WHERE tenant = OLD.tenant AND area = 'secrets';
  END IF;
  RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER agents_take_their_secrets_along AFTER DELETE ON toolwright.agents
  FOR EACH ROW EXECUTE FUNCTION toolwright.remove_secrets_of_agent();
