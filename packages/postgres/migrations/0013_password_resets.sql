-- breaking: no
-- Links with which people set a new password: one for a person at a time, and gone once it is used.

CREATE TABLE toolwright.password_resets (
  user_id text PRIMARY KEY REFERENCES toolwright.users ON DELETE CASCADE,
  -- SHA-256 of the token in the link.
  hash text NOT NULL UNIQUE,
  created_by text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
--> statement-breakpoint
CALL toolwright.protect_system_table('password_resets');
