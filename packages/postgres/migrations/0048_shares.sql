-- breaking: no
-- Who shares the workers: the person who asks, or for whom an agent works. Jobs from before count for their owner.

ALTER TABLE toolwright.jobs ADD COLUMN sharer text;
--> statement-breakpoint
CREATE INDEX jobs_of_sharers ON toolwright.jobs (tenant, (coalesce(sharer, owner)), run_at, created_at, job) WHERE state = 'queued' AND ticket IS NULL;
--> statement-breakpoint
CREATE INDEX jobs_unended ON toolwright.jobs (tenant, (coalesce(sharer, owner))) WHERE state IN ('blocked', 'queued', 'running');
--> statement-breakpoint
DROP INDEX toolwright.jobs_to_hand_out;
--> statement-breakpoint
-- The next document of each tenant.
CREATE INDEX documents_due_of_tenants ON toolwright.documents (tenant, due_at) WHERE due_at IS NOT NULL;
