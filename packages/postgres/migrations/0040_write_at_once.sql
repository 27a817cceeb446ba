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
--> statement-breakpoint
-- Adds to the conversation of a turn that the transaction has locked: `given`, and then those of its queue that `delivered` names, in their order.
CREATE FUNCTION toolwright.add_messages(of_tenant text, of_turn text, of_conversation text, given text[], delivered bigint[], said_at bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  messages text[] := given;
BEGIN
  IF cardinality(delivered) > 0 THEN
    WITH taken AS (
      DELETE FROM toolwright.queued_messages AS kept WHERE kept.tenant = of_tenant AND kept.turn = of_turn AND kept.position = ANY(delivered)
      RETURNING kept.position, kept.message
    ) SELECT given || array_agg(message::text ORDER BY position) INTO messages FROM taken;
  END IF;
  IF cardinality(messages) > 0 THEN
    INSERT INTO toolwright.messages (tenant, conversation, sequence, turn, message, at)
      SELECT of_tenant, of_conversation, last.sequence + place, of_turn, text::json, to_timestamp(said_at / 1000e0::float8)
      FROM unnest(messages) WITH ORDINALITY AS said(text, place), (
        SELECT coalesce(max(kept.sequence), 0) AS sequence FROM toolwright.messages AS kept
          WHERE kept.tenant = of_tenant AND kept.conversation = of_conversation
      ) AS last;
  END IF;
END
$$;
--> statement-breakpoint
-- Keeps a response of the model with what it follows, under the role of the tenant. False where the run does not hold the turn.
CREATE FUNCTION toolwright.keep_step(
  of_tenant text, of_turn text, of_holder text, number int, response json, settled text[], delivered bigint[], taken json, kept_at bigint
) RETURNS boolean LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  held_conversation text;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  UPDATE toolwright.turns AS kept SET steps = number, usage = taken, reserved = '{}'
    WHERE kept.tenant = of_tenant AND kept.turn = of_turn AND kept.holder = of_holder AND kept.state = 'running'
    RETURNING kept.conversation INTO held_conversation;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM toolwright.add_messages(of_tenant, of_turn, held_conversation, settled, delivered, kept_at);
  INSERT INTO toolwright.turn_steps (tenant, turn, step, response, results) VALUES (of_tenant, of_turn, number, response, '{}')
    ON CONFLICT (tenant, turn) DO UPDATE SET step = excluded.step, response = excluded.response, results = excluded.results;
  RETURN true;
END
$$;
--> statement-breakpoint
-- What the run that holds a turn learns before it asks the model again, under the role of the tenant. Null where it does not hold the turn.
CREATE FUNCTION toolwright.read_news(of_tenant text, of_turn text, of_holder text) RETURNS json
LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true);
  RETURN (SELECT json_build_object(
      'cancelReason', own.cancel_reason, 'parent', own.parent, 'usage', own.usage,
      'hasChildren', EXISTS (SELECT FROM toolwright.turns AS child WHERE child.tenant = of_tenant AND child.parent = of_turn),
      'queued', (SELECT coalesce(json_agg(json_build_object('id', said.position::text, 'message', said.message) ORDER BY said.position), '[]')
        FROM toolwright.queued_messages AS said WHERE said.tenant = of_tenant AND said.turn = of_turn))
    FROM toolwright.turns AS own
    WHERE own.tenant = of_tenant AND own.turn = of_turn AND own.holder = of_holder AND own.state = 'running');
END
$$;
--> statement-breakpoint
-- Adds to what people see of a turn, under the role of the tenant: a piece of the step that is under way, or a whole step in the place of its
-- pieces. Positions go on from those that were removed. The commit waits for no disk: the next one that does takes it along, and a database
-- that crashes before loses what people saw of half a second.
CREATE FUNCTION toolwright.add_part(of_tenant text, of_turn text, is_whole boolean, part json) RETURNS void
LANGUAGE plpgsql SET role = 'toolwright_tenant' AS $$
DECLARE
  first int;
  last int;
BEGIN
  PERFORM set_config('toolwright.tenant', of_tenant, true), set_config('synchronous_commit', 'off', true);
  UPDATE toolwright.turns AS kept SET parts = parts + 1 WHERE kept.tenant = of_tenant AND kept.turn = of_turn RETURNING parts INTO last;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF is_whole THEN
    WITH gone AS (
      DELETE FROM toolwright.turn_parts AS kept WHERE kept.tenant = of_tenant AND kept.turn = of_turn AND kept.since IS NULL
      RETURNING kept.position
    ) SELECT coalesce(min(position), last) INTO first FROM gone;
  END IF;
  INSERT INTO toolwright.turn_parts (tenant, turn, position, since, chunks) VALUES (of_tenant, of_turn, last, first, part);
END
$$;
--> statement-breakpoint
-- They take the role of any tenant, as above.
REVOKE EXECUTE ON FUNCTION toolwright.keep_step, toolwright.read_news, toolwright.add_part FROM PUBLIC;
