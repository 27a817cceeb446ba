import { type CompiledQuery, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { findCandidates, selectByNames } from "../search/find-candidates.ts";
import { readSearchAids, type SearchAids } from "../search/search-aids.ts";
import { termsOf } from "../search/text-query.ts";
import { countScans, explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { indexOf, selectDue, selectList } from "./read-documents.ts";

const search = { words: ["word7"], codes: ["word7_x"], folded: "word7", language: "english" };
let aids: SearchAids;

/** Each query with the index that it must go by. */
const queries: readonly [what: string, index: RegExp, compile: (query: Query) => CompiledQuery][] = [
  ["the newest documents", /documents_newest/, (query) => selectList(query, "acme", {}).compile()],
  ["documents that are due", /documents_due_of_tenants/, (query) => selectDue({ now: Date.now(), limit: 2 }).compile(query)],
  [
    "passages of a collection by names that are alike",
    /chunks_names/,
    (query) => selectByNames({ ...indexOf("default", aids), schema: aids.trigrams as string }, termsOf(search)).compile(query),
  ],
];

describe("the queries of documents", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    const { owner } = test.database;
    aids = await readSearchAids(test.database);
    await sql`insert into toolwright.documents
        (tenant, document, collection, title, source, media_type, hash, trust, sources, by, version, state, created_at, updated_at, due_at)
      select 'acme', 'doc_' || n, 'default', '"Title"', '{"kind":"text"}', '"text/plain"', n, 'agent', '[]', '{}', 1, 'ready',
        to_timestamp(1.7e9 + n), now(), case when n % 100 = 0 then now() end from generate_series(1, 2000) as n`.execute(owner);
    await sql`insert into toolwright.chunks (tenant, document, chunk, version, content, headings, from_char, names, words)
      select 'acme', 'doc_' || n % 2000 + 1, n, 1, '"text"', '[]', 0, 'r-' || n, to_tsvector('simple', 'word' || n % 1000 || ' other' || n)
      from generate_series(1, 20000) as n`.execute(owner);
    await sql`vacuum analyze toolwright.documents, toolwright.chunks`.execute(owner);
  });
  afterAll(() => test.cleanup());

  it.each(queries)("go for %s by their index", async (_what, index, compile) => {
    expect(await test.database.asTenant("acme", (query) => explain(query, compile(query)))).toMatch(index);
  });
  it("go for passages by the index of their words", async () => {
    const scans = await countScans(test.database, { index: "chunks_words", tenant: "acme" }, (query) =>
      findCandidates(query, search, indexOf(undefined, aids)),
    );
    expect(scans).toBeGreaterThan(0);
  });
});
