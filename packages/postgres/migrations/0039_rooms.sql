-- breaking: no
-- Rooms: an agent, people, and a queue of events that the agent works off in cycles.

CREATE TABLE toolwright.rooms (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  room text NOT NULL,
  -- A string of JSON, as the texts below: it may hold characters that text refuses.
  title json NOT NULL,
  agent text NOT NULL,
  principal json NOT NULL,
  people text[] NOT NULL,
  created_at timestamptz NOT NULL,
  cycles int NOT NULL DEFAULT 0,
  is_working boolean NOT NULL DEFAULT false,
  -- The session of the last cycle, what it began with where that was a summary, and what the next one is to begin with.
  conversation text,
  began json,
  summary json,
  error json,
  -- When somebody is to take it: it has queued events, or its open cycle is to be looked at.
  due_at timestamptz,
  -- How many there have been.
  events int NOT NULL DEFAULT 0,
  messages int NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, room)
);
--> statement-breakpoint
CREATE INDEX rooms_due ON toolwright.rooms (due_at) WHERE due_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX rooms_newest ON toolwright.rooms (tenant, created_at, room);
--> statement-breakpoint
CREATE INDEX rooms_working ON toolwright.rooms (tenant, conversation) WHERE is_working;
--> statement-breakpoint
CALL toolwright.protect_table('rooms');
--> statement-breakpoint
CREATE TABLE toolwright.room_events (
  tenant text NOT NULL,
  room text NOT NULL,
  event int NOT NULL,
  body json NOT NULL,
  by json NOT NULL,
  at timestamptz NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'taken', 'for_person', 'done', 'resolved')),
  missed int NOT NULL DEFAULT 0,
  outcome json,
  closed_by json,
  closed_at timestamptz,
  PRIMARY KEY (tenant, room, event),
  FOREIGN KEY (tenant, room) REFERENCES toolwright.rooms (tenant, room) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX room_events_open ON toolwright.room_events (tenant, room, event) WHERE state IN ('queued', 'taken', 'for_person');
--> statement-breakpoint
CREATE INDEX room_events_closed ON toolwright.room_events (closed_at) WHERE closed_at IS NOT NULL;
--> statement-breakpoint
CALL toolwright.protect_table('room_events');
--> statement-breakpoint
CREATE TABLE toolwright.room_messages (
  tenant text NOT NULL,
  room text NOT NULL,
  message int NOT NULL,
  body json NOT NULL,
  person text,
  at timestamptz NOT NULL,
  PRIMARY KEY (tenant, room, message),
  FOREIGN KEY (tenant, room) REFERENCES toolwright.rooms (tenant, room) ON DELETE CASCADE
);
--> statement-breakpoint
CREATE INDEX room_messages_by_time ON toolwright.room_messages (at);
--> statement-breakpoint
CALL toolwright.protect_table('room_messages');
