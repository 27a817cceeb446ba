-- breaking: no
-- Turns of sub-agents, which spend the budget of the turn that began them.

ALTER TABLE toolwright.turns ADD COLUMN parent text;
--> statement-breakpoint
-- By the request to the model that is on its way.
ALTER TABLE toolwright.turns ADD COLUMN reserved json NOT NULL DEFAULT '{}';
--> statement-breakpoint
CREATE INDEX turns_by_parent ON toolwright.turns (tenant, parent) WHERE parent IS NOT NULL;
