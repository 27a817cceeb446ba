-- breaking: no
-- Jobs that run by the rights of today and once under their key; processes that can be looked at; calls that end once.

-- Which try of a job this is: raised when it is to run again, and not when another worker takes up what one left. It is part of the key that
-- the call has, so that a call which may have had its effect is not made twice, and one which shall be made again is.
ALTER TABLE toolwright.jobs ADD COLUMN try int NOT NULL DEFAULT 1;
--> statement-breakpoint
-- Why nobody paused it and it rests all the same; null when somebody did.
ALTER TABLE toolwright.schedules ADD COLUMN pause_reason text;
--> statement-breakpoint
-- Where the process runs, for those on the same machine, who can look at it; null where that cannot be said.
ALTER TABLE toolwright.processes ADD COLUMN place text;
--> statement-breakpoint
-- As before, but of a batch of which only some calls were taken from the process nothing is written: what the batch adds to the usage is one
-- sum, which would hold theirs too. The writer then comes again with one event at a time.
CREATE OR REPLACE FUNCTION toolwright.track_calls(of_tenant text, of_process text, starting text[], ending text[], call_ids text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
DECLARE
  lost text[];
BEGIN
  IF ending IS NOT NULL THEN
    DELETE FROM toolwright.calls_in_flight AS kept WHERE kept.tenant = of_tenant AND kept.call_id = ANY(ending);
  END IF;
  IF starting IS NOT NULL THEN
    INSERT INTO toolwright.calls_in_flight (tenant, call_id, process) SELECT of_tenant, c, of_process FROM unnest(starting) AS given(c)
      ON CONFLICT DO NOTHING;
  END IF;
  -- Most processes never lost one: a single look at the index.
  IF NOT EXISTS (SELECT FROM toolwright.lost_calls AS kept WHERE kept.tenant = of_tenant AND kept.process = of_process) THEN
    RETURN NULL;
  END IF;
  lost := (SELECT array_agg(kept.call_id) FROM toolwright.lost_calls AS kept
    WHERE kept.tenant = of_tenant AND kept.process = of_process AND kept.call_id = ANY(call_ids));
  IF lost IS NOT NULL AND NOT call_ids <@ lost THEN
    RAISE EXCEPTION 'Some calls of this batch were ended in the place of their process.' USING ERRCODE = 'TW001';
  END IF;
  RETURN lost;
END
$$;
