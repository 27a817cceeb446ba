-- breaking: no
-- A call and its idempotency key begin and end in one write.

-- Claims keys for calls that start, and keeps how calls ended, under the role of the tenant. Where one of the keys is another call's, nothing
-- is written of all that the statement writes: the detail of the error is a JSON list of the calls that came too late. A batch that is sent
-- again finds its keys claimed by its own calls. Times are milliseconds since 1970. After the sessions of the batch are locked, and in one
-- order for everybody, so that no two writers wait for each other.
CREATE FUNCTION toolwright.write_keys(
  of_tenant text, of_process text,
  keys text[], fingerprints text[], claiming text[], ats bigint[], expiries bigint[], followed boolean[],
  ending text[], results text[], finals boolean[], endeds bigint[], kept_untils bigint[]
) RETURNS void LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  claimed int;
  taken json;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  IF cardinality(keys) > 0 THEN
    INSERT INTO toolwright.idempotency_keys
        (tenant, key, fingerprint, call_id, process, claimed_at, changed_at, expires_at, is_followed)
      SELECT of_tenant, k, f, c, of_process, to_timestamp(a / 1000e0::float8), to_timestamp(a / 1000e0::float8), to_timestamp(e / 1000e0::float8), w
      FROM unnest(keys, fingerprints, claiming, ats, expiries, followed) AS given(k, f, c, a, e, w) ORDER BY k COLLATE "C"
      ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS claimed = ROW_COUNT;
    IF claimed < cardinality(keys) THEN
      SELECT json_agg(c) INTO taken FROM unnest(keys, claiming) AS given(k, c) WHERE NOT EXISTS (
        SELECT FROM toolwright.idempotency_keys AS kept WHERE kept.tenant = of_tenant AND kept.key = k AND kept.call_id = c);
      IF taken IS NOT NULL THEN
        RAISE EXCEPTION 'Other calls have keys of this batch.' USING ERRCODE = 'TW002', DETAIL = taken::text;
      END IF;
    END IF;
  END IF;
  IF cardinality(ending) > 0 THEN
    UPDATE toolwright.idempotency_keys AS kept SET result = r::json, is_final = f, changed_at = to_timestamp(a / 1000e0::float8),
        expires_at = greatest(kept.expires_at, to_timestamp(u / 1000e0::float8))
      FROM unnest(ending, results, finals, endeds, kept_untils) AS given(c, r, f, a, u)
      WHERE kept.tenant = of_tenant AND kept.call_id = c AND NOT kept.is_final;
  END IF;
END
$$;
--> statement-breakpoint
-- It takes the role of any tenant: for the login of the process alone.
REVOKE EXECUTE ON FUNCTION toolwright.write_keys FROM PUBLIC;
