-- breaking: no
-- People see when a program that they allowed last acted for them.
ALTER TABLE toolwright.oauth_consents ADD COLUMN last_used_at timestamptz;
