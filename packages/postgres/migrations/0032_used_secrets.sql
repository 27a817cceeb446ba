-- breaking: no
-- People see which tool last got a secret, and when. Under the same row-level security as the secret.
ALTER TABLE toolwright.secrets
  ADD COLUMN last_used_at timestamptz,
  ADD COLUMN last_used_by text;
