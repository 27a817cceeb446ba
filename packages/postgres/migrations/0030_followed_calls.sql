-- breaking: no
-- Callers that left ask later how their call stands.
ALTER TABLE toolwright.idempotency_keys
  ADD COLUMN claimed_at timestamptz NOT NULL DEFAULT now(),
  -- When it came to stand as it does.
  ADD COLUMN changed_at timestamptz NOT NULL DEFAULT now(),
  -- How the call ended is kept also where running it again does no harm.
  ADD COLUMN is_followed boolean NOT NULL DEFAULT false;
