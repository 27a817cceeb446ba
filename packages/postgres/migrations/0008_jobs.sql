-- breaking: no
-- Calls that run later or on a schedule. These tables are the truth; the queue (schema pgboss) only carries tickets to them.

CREATE TABLE toolwright.jobs (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  job text NOT NULL,
  -- The actor who made it, as "kind id".
  owner text NOT NULL,
  session text NOT NULL,
  -- As given when it was made: the run has these rights and no others.
  principal json NOT NULL,
  tool text NOT NULL,
  -- json and not jsonb, which cannot hold every text.
  input json NOT NULL,
  state text NOT NULL CHECK (state IN ('blocked', 'queued', 'running', 'done', 'failed', 'denied', 'cancelled', 'unknown', 'skipped')),
  schedule text,
  idempotency_key text,
  -- Of what was asked for, so that a key is not used for two things.
  request_digest text NOT NULL,
  retry jsonb NOT NULL,
  -- Not before this time.
  run_at timestamptz NOT NULL,
  -- Parents that are not done yet.
  waits_for int NOT NULL DEFAULT 0,
  -- Raised each time that it starts: an ending counts only with the number of its start.
  attempts int NOT NULL DEFAULT 0,
  -- Attempts that did not end well, since it was made or given another try.
  failures int NOT NULL DEFAULT 0,
  -- In the queue, from when it is handed to the workers until it ends or waits again.
  ticket uuid,
  ticket_at timestamptz,
  -- While it runs: true when running it twice is the same as once.
  repeatable boolean NOT NULL DEFAULT false,
  worker text,
  cancel_reason text,
  progress json,
  result json,
  reason text,
  created_at timestamptz NOT NULL,
  started_at timestamptz,
  ended_at timestamptz,
  PRIMARY KEY (tenant, job),
  UNIQUE (tenant, owner, idempotency_key)
);
--> statement-breakpoint
CALL toolwright.protect_table('jobs');
--> statement-breakpoint
CREATE INDEX jobs_to_hand_out ON toolwright.jobs (tenant, run_at, created_at) WHERE state = 'queued' AND ticket IS NULL;
--> statement-breakpoint
CREATE INDEX jobs_handed_out ON toolwright.jobs (tenant, ticket_at) WHERE ticket IS NOT NULL;
--> statement-breakpoint
CREATE INDEX jobs_by_time ON toolwright.jobs (tenant, created_at DESC);
--> statement-breakpoint
CREATE INDEX jobs_over ON toolwright.jobs (ended_at) WHERE state IN ('done', 'cancelled', 'skipped');
--> statement-breakpoint
CREATE TABLE toolwright.job_dependencies (
  tenant text NOT NULL,
  job text NOT NULL,
  parent text NOT NULL,
  PRIMARY KEY (tenant, job, parent),
  FOREIGN KEY (tenant, job) REFERENCES toolwright.jobs ON DELETE CASCADE,
  FOREIGN KEY (tenant, parent) REFERENCES toolwright.jobs ON DELETE CASCADE
);
--> statement-breakpoint
CALL toolwright.protect_table('job_dependencies');
--> statement-breakpoint
CREATE INDEX job_dependencies_by_parent ON toolwright.job_dependencies (tenant, parent);
--> statement-breakpoint
-- How many jobs of a tenant may be with the workers at once, where it is not the default.
CREATE TABLE toolwright.job_limits (
  tenant text PRIMARY KEY REFERENCES toolwright.tenants ON DELETE CASCADE,
  most_at_once int NOT NULL CHECK (most_at_once BETWEEN 0 AND 100)
);
--> statement-breakpoint
CALL toolwright.protect_table('job_limits', 'SELECT');
--> statement-breakpoint
CREATE TABLE toolwright.schedules (
  tenant text NOT NULL REFERENCES toolwright.tenants ON DELETE CASCADE,
  schedule text NOT NULL,
  owner text NOT NULL,
  name text NOT NULL,
  session text,
  principal json NOT NULL,
  tool text NOT NULL,
  input json NOT NULL,
  retry jsonb NOT NULL,
  -- Five fields; null for a single run.
  cron text,
  zone text NOT NULL,
  missed text NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
  most_missed int NOT NULL CHECK (most_missed BETWEEN 1 AND 1000),
  paused boolean NOT NULL DEFAULT false,
  -- Null when it is over.
  next_at timestamptz,
  last_at timestamptz,
  -- Runs that were left out after the workers had been away.
  left_out bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, schedule),
  UNIQUE (tenant, owner, name)
);
--> statement-breakpoint
CALL toolwright.protect_table('schedules');
--> statement-breakpoint
CREATE INDEX schedules_due ON toolwright.schedules (next_at) WHERE next_at IS NOT NULL AND NOT paused;
