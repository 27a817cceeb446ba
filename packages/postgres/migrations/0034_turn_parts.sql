-- breaking: no
-- What people see of turns: pieces of the step that is under way, and whole steps in the place of theirs.

-- How many there have been.
ALTER TABLE toolwright.turns ADD COLUMN parts int NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE toolwright.turn_parts (
  tenant text NOT NULL,
  turn text NOT NULL,
  position int NOT NULL,
  -- Of a whole step: where its pieces began.
  since int,
  -- json and not jsonb: texts may hold characters that jsonb refuses.
  chunks json NOT NULL,
  PRIMARY KEY (tenant, turn, position),
  FOREIGN KEY (tenant, turn) REFERENCES toolwright.turns (tenant, turn) ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('turn_parts');
