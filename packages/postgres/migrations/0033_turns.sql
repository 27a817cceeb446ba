-- breaking: no
-- Turns of agents, and the messages of their conversations.

CREATE TABLE toolwright.turns (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  turn text NOT NULL,
  -- A session. Its row stays when its log and its turns are removed, so nothing refers to it.
  conversation text NOT NULL,
  agent text NOT NULL,
  owner text,
  -- json and not jsonb, here and below: texts may hold characters that jsonb refuses.
  principal json NOT NULL,
  call_id text NOT NULL,
  state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'waiting', 'done', 'failed', 'cancelled')),
  steps int NOT NULL DEFAULT 0,
  -- A string of JSON.
  answer json NOT NULL DEFAULT '""',
  reached_limit text,
  error json,
  waits_for json NOT NULL DEFAULT '[]',
  cancel_reason text,
  usage json NOT NULL DEFAULT '{}',
  created_at timestamptz NOT NULL,
  ended_at timestamptz,
  -- The run that has it while it is running, and until when without another sign of life.
  holder text NOT NULL,
  held_until timestamptz NOT NULL,
  PRIMARY KEY (tenant, turn)
);
--> statement-breakpoint
-- One conversation, one turn.
CREATE UNIQUE INDEX turns_open ON toolwright.turns (tenant, conversation) WHERE state IN ('running', 'waiting');
--> statement-breakpoint
CREATE INDEX turns_by_lease ON toolwright.turns (held_until) WHERE state = 'running';
--> statement-breakpoint
CREATE INDEX turns_newest ON toolwright.turns (tenant, created_at, turn);
--> statement-breakpoint
CREATE INDEX turns_by_conversation ON toolwright.turns (tenant, conversation, created_at, turn);
--> statement-breakpoint
CREATE INDEX turns_by_owner ON toolwright.turns (tenant, owner, created_at, turn) WHERE owner IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('turns');
--> statement-breakpoint
CREATE TABLE toolwright.messages (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  conversation text NOT NULL,
  -- Without gaps: whoever writes has the conversation's open turn locked.
  sequence bigint NOT NULL,
  turn text NOT NULL,
  message json NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant, conversation, sequence)
);
--> statement-breakpoint
CALL toolwright.protect_table('messages');
--> statement-breakpoint
-- What was said while a turn ran, and is not in its conversation yet.
CREATE TABLE toolwright.queued_messages (
  tenant text NOT NULL,
  turn text NOT NULL,
  position bigint NOT NULL,
  message json NOT NULL,
  PRIMARY KEY (tenant, turn, position),
  FOREIGN KEY (tenant, turn) REFERENCES toolwright.turns (tenant, turn) ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('queued_messages');
--> statement-breakpoint
-- The response of a turn whose calls have not all ended, and the results that are there.
CREATE TABLE toolwright.turn_steps (
  tenant text NOT NULL,
  turn text NOT NULL,
  step int NOT NULL,
  response json NOT NULL,
  results json NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant, turn),
  FOREIGN KEY (tenant, turn) REFERENCES toolwright.turns (tenant, turn) ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('turn_steps');
--> statement-breakpoint
-- Retention looks for what it may remove; a turn that called no tool has left nothing in the log.
ALTER TABLE toolwright.sessions ADD COLUMN has_messages boolean NOT NULL DEFAULT false;
