import { readdirSync, readFileSync } from "node:fs";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyze, explainQueries } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";

const plans = new URL("../../../../docs/reference/plans/", import.meta.url);

/** The index that each query must go by. */
const indexes: Readonly<Record<string, RegExp>> = {
  "session-events": /events_pkey/,
  "runs-newest": /events_by_time[\s\S]*events_by_call/,
  "runs-of-a-tool": /events_by_time[\s\S]*events_by_call/,
  "runs-of-an-agent-with-a-status": /events_by_time[\s\S]*events_by_call/,
  "runs-of-a-person-that-asked": /events_by_time[\s\S]*events_by_call/,
  "runs-inside-a-call": /events_by_call[\s\S]*(events_pkey|events_by_time)/,
  "runs-that-go-on": /calls_in_flight[\s\S]*events_by_call/,
  "runs-next-page": /events_by_time[\s\S]*events_by_call/,
  "usage-by-tool": /usage_hours/,
  "usage-by-hour": /usage_hours/,
};

describe("the queries that people wait for", () => {
  let test: TestDatabase;
  let found: Readonly<Record<string, string>>;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    const { database } = test;
    await sql`insert into toolwright.events
      select 'acme', 's' || n / 500, n % 500 + 1, to_timestamp(1.7e9 + n), case when n % 2 = 0 then 'tool.started' when n % 100 = 1 then 'tool.failed' else 'tool.completed' end,
        'call_' || md5((n / 2)::text), 'tool_' || n / 2 % 40, 'user', 'ann', 'agent_' || n / 2 % 8, 'cli', 'web', json_build_object('durationMs', 3, 'output', repeat('words ', 100)), '', '', 'p'
      from generate_series(0, 59999) as n`.execute(database.owner);
    await analyze(database);
    found = await explainQueries(database, { tenant: "acme", session: "s7", tool: "tool_none", agent: "agent_3", since: 1.7e12 });
  }, 60_000);
  afterAll(() => test.cleanup());

  it.each(Object.entries(indexes))("%s goes by its index and never reads all events", (name, index) => {
    expect(found[name]).toMatch(index);
    expect(found[name]).not.toMatch(/Seq Scan on events/);
  });

  it.each(Object.entries(indexes))("%s does so on a day of a million events, as its plan in docs says", (name, index) => {
    const plan = readFileSync(new URL(`${name}.txt`, plans), "utf8");
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan on events/);
  });

  it("have a plan in docs each, and no others have", () => {
    expect(readdirSync(plans).sort()).toEqual(
      Object.keys(indexes)
        .map((name) => `${name}.txt`)
        .sort(),
    );
  });
});
