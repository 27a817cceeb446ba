import { type CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { selectForgotten, selectLost, selectTurns } from "./list-turns.ts";
import { selectMessages, selectWaiting } from "./messages.ts";
import { selectFamily } from "./reserve-budget.ts";
import { selectTurnUsage } from "./sum-turn-usage.ts";

/** Each query with the index that it must go by. */
const queries: readonly [what: string, index: RegExp, compile: (query: Query) => CompiledQuery][] = [
  ["the newest turns", /turns_newest/, (query) => selectTurns(query, "acme", {}).compile()],
  ["the turns of a person", /turns_by_owner/, (query) => selectTurns(query, "acme", { owner: "person_7" }).compile()],
  ["the turns of a conversation", /turns_by_conversation/, (query) => selectTurns(query, "acme", { conversation: "ses_7" }).compile()],
  [
    "what turns of a time took",
    /turns_newest/,
    (query) => selectTurnUsage({ tenant: "acme", by: "model", since: 1.700019e12 }).compile(query),
  ],
  ["the sub-agents of a turn", /turns_by_parent/, (query) => selectTurns(query, "acme", { parents: ["trn_7", "trn_8"] }).compile()],
  ["a turn with its sub-agents", /turns_by_parent/, (query) => selectFamily(query, "acme", "trn_7").compile()],
  [
    "what an agent took",
    /turns_by_agent/,
    (query) => selectTurnUsage({ tenant: "acme", by: "tenant", agent: "agent_7", since: 1.7e12 + 1.9e7 }).compile(query),
  ],
  ["turns whose process died", /turns_by_lease/, (query) => selectLost(query, { now: Date.now(), limit: 16 }).compile()],
  ["turns that wait for what is over", /turns_open/, (query) => selectForgotten(query, { now: Date.now(), limit: 16 }).compile()],
  [
    "the messages of a conversation",
    /messages_pkey/,
    (query) => selectMessages(query, { tenant: "acme", conversation: "ses_7", after: 3 }).compile(),
  ],
  [
    "what is queued in a conversation",
    /queued_messages_pkey/,
    (query) => selectWaiting(query, { tenant: "acme", conversation: "ses_7" }).compile(),
  ],
];

describe("the queries of turns", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    const { owner } = test.database;
    await sql`insert into toolwright.turns (tenant, turn, conversation, agent, owner, principal, call_id, parent, state, created_at, holder, held_until)
      select 'acme', 'trn_' || n, 'ses_' || n % 2000, 'agent_' || n % 8, 'person_' || n % 100, '{}', 'call',
        case when n % 10 = 0 then 'trn_' || n % 2000 end, 'done', to_timestamp(1.7e9 + n), 'p', now()
      from generate_series(1, 20000) as n`.execute(owner);
    await sql`insert into toolwright.messages select 'acme', 'ses_' || n % 2000, n / 2000, 'trn_' || n, to_json(repeat('words ', 20)), now()
      from generate_series(1, 40000) as n`.execute(owner);
    await sql`vacuum analyze toolwright.turns, toolwright.messages`.execute(owner);
  });
  afterAll(() => test.cleanup());

  it.each(queries)("go for %s by their index, and read no whole table", async (_what, index, compile) => {
    // As the system: with the policy of tenants there is one filter more.
    const plan = await test.database.asSystem((query) => explain(query, compile(query)));
    expect(plan).toMatch(index);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});
