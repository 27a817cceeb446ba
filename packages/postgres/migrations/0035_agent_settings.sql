-- breaking: no
-- What an agent is: the words that its requests begin with, its model, what a turn may take.
ALTER TABLE toolwright.agents
  -- Markdown; empty for the usual words.
  ADD COLUMN instructions text NOT NULL DEFAULT '',
  -- provider/name; null for the server's usual one.
  ADD COLUMN model text,
  -- Numbers by name; what is not there is usual.
  ADD COLUMN limits jsonb NOT NULL DEFAULT '{}';
--> statement-breakpoint
-- What the agent is while the turn is open: a change of the agent holds from its next turn on. Null when the turn has ended.
ALTER TABLE toolwright.turns ADD COLUMN profile json;
