-- breaking: no
-- What requests to a model hold in the place of the first messages of a conversation, which stay as they are.

CREATE TABLE toolwright.contexts (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  conversation text NOT NULL,
  -- json and not jsonb: texts may hold characters that jsonb refuses.
  context json NOT NULL,
  PRIMARY KEY (tenant, conversation)
);
--> statement-breakpoint
CALL toolwright.protect_table('contexts');
