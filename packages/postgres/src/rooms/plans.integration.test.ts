import { type CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { selectDue, selectList, selectOpenEvents, selectWorking } from "./read-rooms.ts";

/** Each query with the index that it must go by. */
const queries: readonly [what: string, index: RegExp, compile: (query: Query) => CompiledQuery][] = [
  ["the newest rooms", /rooms_newest/, (query) => selectList(query, "acme", undefined).compile()],
  ["rooms that are due", /rooms_due/, (query) => selectDue(query, { now: Date.now(), limit: 16 }).compile()],
  ["the room of a conversation", /rooms_working/, (query) => selectWorking(query, "acme", "ses_7").compile()],
  ["what is open in a room", /room_events_open/, (query) => selectOpenEvents(query, { tenant: "acme", id: "room_7" }).compile()],
];

describe("the queries of rooms", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    const { owner } = test.database;
    await sql`insert into toolwright.rooms (tenant, room, title, agent, principal, people, created_at, conversation, is_working, due_at)
      select 'acme', 'room_' || n, '"Room"', 'assistant', '{}', '{}', to_timestamp(1.7e9 + n), 'ses_' || n, n % 10 = 7,
        case when n % 100 = 0 then now() end from generate_series(1, 5000) as n`.execute(owner);
    await sql`insert into toolwright.room_events (tenant, room, event, body, by, at, state, closed_at)
      select 'acme', 'room_' || n % 5000 + 1, n / 5000 + 1, '"words"', '{}', now(), case when n % 20 = 6 then 'queued' else 'done' end,
        case when n % 20 = 6 then null else now() end from generate_series(1, 40000) as n`.execute(owner);
    await sql`vacuum analyze toolwright.rooms, toolwright.room_events`.execute(owner);
  });
  afterAll(() => test.cleanup());

  it.each(queries)("go for %s by their index, and read no whole table", async (_what, index, compile) => {
    // As the system: with the policy of tenants there is one filter more.
    const plan = await test.database.asSystem((query) => explain(query, compile(query)));
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});
