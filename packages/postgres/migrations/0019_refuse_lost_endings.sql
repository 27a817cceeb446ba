-- breaking: no
-- A process is told that a call was ended in its place: it answers its caller with the ending that the log holds.

-- As before, but an event of such a call is refused instead of left out in silence. Of a batch that has one nothing is written, also because
-- what the batch adds to the usage is one sum. The writer then comes again in smaller pieces, and with one event at a time at last.
CREATE OR REPLACE FUNCTION toolwright.track_calls(of_tenant text, of_process text, starting text[], ending text[], call_ids text[]) RETURNS text[]
LANGUAGE plpgsql AS $$
BEGIN
  IF ending IS NOT NULL THEN
    DELETE FROM toolwright.calls_in_flight AS kept WHERE kept.tenant = of_tenant AND kept.call_id = ANY(ending);
  END IF;
  IF starting IS NOT NULL THEN
    INSERT INTO toolwright.calls_in_flight (tenant, call_id, process) SELECT of_tenant, c, of_process FROM unnest(starting) AS given(c)
      ON CONFLICT DO NOTHING;
  END IF;
  -- Most processes never lost one: a single look at the index.
  IF EXISTS (SELECT FROM toolwright.lost_calls AS kept WHERE kept.tenant = of_tenant AND kept.process = of_process)
    AND EXISTS (SELECT FROM toolwright.lost_calls AS kept
      WHERE kept.tenant = of_tenant AND kept.process = of_process AND kept.call_id = ANY(call_ids)) THEN
    RAISE EXCEPTION 'Calls of this batch were ended in the place of their process.' USING ERRCODE = 'TW001';
  END IF;
  RETURN NULL;
END
$$;
