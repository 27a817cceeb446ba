-- breaking: no
-- To count how common each word is takes longer than all else that is counted, holds up the embedded database, and no plan asks for it: searches take
-- a sample of their own.

ALTER TABLE toolwright.memories ALTER COLUMN words SET STATISTICS 0;
--> statement-breakpoint
ALTER TABLE toolwright.chunks ALTER COLUMN words SET STATISTICS 0;
