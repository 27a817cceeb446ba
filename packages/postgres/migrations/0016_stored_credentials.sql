-- breaking: no
-- What proves who somebody is, is kept as a hash or not at all: a copy of the database lets nobody in. Sessions of before were kept as they are in
-- the cookie, and end: people sign in again. While processes of the version before still run, nobody can sign in through them.

DELETE FROM toolwright.auth_sessions;
--> statement-breakpoint
DELETE FROM toolwright.auth_verifications;
--> statement-breakpoint
UPDATE toolwright.auth_accounts SET access_token = NULL, refresh_token = NULL, id_token = NULL;
--> statement-breakpoint
-- SHA-256 of the token in the cookie.
ALTER TABLE toolwright.auth_sessions ADD CONSTRAINT token_is_hashed CHECK (token ~ '^[0-9a-f]{64}$');
--> statement-breakpoint
-- SHA-256 of the code, or of the state of a sign-in elsewhere.
ALTER TABLE toolwright.auth_verifications ADD CONSTRAINT identifier_is_hashed CHECK (identifier ~ '^[0-9a-f]{64}$');
--> statement-breakpoint
-- Tokens of the other server are for the moment of signing in.
ALTER TABLE toolwright.auth_accounts ADD CONSTRAINT keeps_no_token
  CHECK (access_token IS NULL AND refresh_token IS NULL AND id_token IS NULL);
