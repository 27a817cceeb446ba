-- breaking: no
-- Turns of sub-agents, which spend the budget of the turn that began them.

ALTER TABLE toolwright.turns
  ADD COLUMN parent text,
  -- Its parent does not wait for it.
  ADD COLUMN background boolean NOT NULL DEFAULT false,
  -- By the request to the model that is on its way.
  ADD COLUMN reserved json NOT NULL DEFAULT '{}';
--> statement-breakpoint
CREATE INDEX turns_by_parent ON toolwright.turns (tenant, parent) WHERE parent IS NOT NULL;
--> statement-breakpoint
-- What an agent took today.
CREATE INDEX turns_by_agent ON toolwright.turns (tenant, agent, created_at);
