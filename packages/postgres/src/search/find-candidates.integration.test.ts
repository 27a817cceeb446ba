import type { SearchQuery } from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { memoryVectors } from "../vectors/vector-source.ts";
import { findCandidates, type SearchIndex, selectByText } from "./find-candidates.ts";
import { readSearchAids, type SearchAids } from "./search-aids.ts";
import { termsOf } from "./text-query.ts";

const text = (words: string, codes: readonly string[] = [], language = "english"): SearchQuery => ({
  ...{ words: words.split(" ").filter((word) => word !== ""), codes, folded: words, language },
});
const save = (query: TestDatabase["database"]["owner"], folded: string, { names = "", language = "english", owner = "agent:a" } = {}) =>
  sql`select toolwright.save_memory('acme', ${owner}, ${folded.slice(0, 200)}, 'core', '""', 'agent', '[]', '{}', null, 0, null, ${language}, ${folded}, ${names})`.execute(
    query,
  );

describe.each(testDatabaseKinds)("a search of texts, %s", (kind) => {
  let test: TestDatabase;
  let aids: SearchAids;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const { owner } = test.database;
    await save(owner, "deploys go out on tuesdays");
    await save(owner, "the server abc 123 is in frankfurt", { names: "abc 123 frankfurt" });
    await save(owner, "the server xyz 9 is in paris", { names: "xyz 9 paris" });
    await save(owner, "der drucker steht im keller neben den heizungen", { language: "german" });
    await save(owner, "the server of the stranger", { owner: "agent:b" });
    aids = await readSearchAids(test.database);
  });
  afterAll(() => test.cleanup());

  const indexWith = (some = aids, where: RawBuilder<boolean> = sql<boolean>`true`): SearchIndex => ({
    ...{ view: "toolwright.memory_index", vectors: memoryVectors, id: sql<string>`key`, where, aids: some },
  });
  const inPlace = <Result>(work: (query: Query) => Promise<Result>, { tenant = "acme", owner = "agent:a" } = {}) =>
    test.database.asTenant(tenant, async (query) => {
      await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
      return work(query);
    });
  const find = (search: SearchQuery, index = indexWith(), place = {}) => inPlace((query) => findCandidates(query, search, index), place);

  it("finds by stems and by words as they stand, rare ones first, and counts each word", async () => {
    const { candidates, frequencies, total, without } = await find(text("deploying server paris nothing"));
    expect(candidates.map(({ id, text }) => [id, text])).toEqual([
      ["the server xyz 9 is in paris", 1],
      ["deploys go out on tuesdays", 2],
      ["the server abc 123 is in frankfurt", 3],
    ]);
    expect(frequencies).toEqual({ deploying: 1, server: 2, paris: 1, nothing: 0 });
    expect([total, without]).toEqual([4, []]);
    expect((await find(text("heizung", [], "german"))).candidates).toHaveLength(1);
  });

  it("finds codes by their parts side by side, and names that are misspelt by likeness", async () => {
    expect((await find(text("", ["abc 123"]))).candidates).toEqual([
      { id: "the server abc 123 is in frankfurt", text: 1, names: expect.closeTo(1) },
    ]);
    const { candidates } = await find(text("frankfort"));
    expect(candidates).toEqual([{ id: "the server abc 123 is in frankfurt", names: expect.any(Number) }]);
    expect(candidates[0]?.names).toBeGreaterThan(0.4);
  });

  it("goes by words alone without the extensions, and says so", async () => {
    const bare = indexWith({ trigrams: undefined, vectors: undefined });
    const vector = { model: "m", value: new Float32Array([1]) };
    const { candidates, without } = await find({ ...text("frankfort server"), vector }, bare);
    expect(candidates.map(({ id }) => id)).toHaveLength(2);
    expect(without).toEqual([
      "Likeness of names took no part: the database has no extension pg_trgm.",
      "Vectors took no part: the database has no extension vector.",
    ]);
  });

  it.each(["", "'", "a' | 'b", "\u0000", "\\", "!&|:*()<->", "\ud800", "the", "x".repeat(2_000)])(
    "answers %.20j with nothing wrong",
    async (odd) => {
      const { candidates } = await find({ words: [odd], codes: [odd], folded: odd, language: odd === "" ? "klingon" : "english" });
      expect(Array.isArray(candidates)).toBe(true);
    },
  );

  it("sees nothing of another owner or tenant, and what the place leaves out", async () => {
    expect((await find(text("stranger"))).candidates).toEqual([]);
    expect((await find(text("server"), indexWith(), { owner: "agent:b" })).candidates).toHaveLength(1);
    expect((await find(text("server"), indexWith(), { owner: "*" })).candidates).toEqual([]);
    expect(await find(text("server"), indexWith(), { tenant: "other" })).toMatchObject({ candidates: [], total: 0 });
    expect(await find(text("server"), indexWith(aids, sql<boolean>`key like '%paris'`))).toMatchObject({
      total: 1,
      candidates: [{ text: 1 }],
    });
  });
});

describe("the plan of a search of texts", () => {
  it("goes by the indexes of words and of names under the role of a tenant", async () => {
    const test = await openTestDatabase("server");
    try {
      const { owner } = test.database;
      await sql`insert into toolwright.memories (tenant, owner, key, category, content, trust, sources, by, version, created_at, saved_at, names, words)
        select case when n % 10 = 0 then 'acme' else 'other' end, 'agent:a', 'k' || n, 'core', '""', 'agent', '[]', '{}', 1, now(), now(), 'name' || md5(n::text),
          to_tsvector('pg_catalog.simple', 'some words ' || n || ' ' || md5(n::text)) from generate_series(1, 5000) as n`.execute(owner);
      await sql`vacuum analyze toolwright.memories`.execute(owner);
      const aids = await readSearchAids(test.database);
      const plan = await test.database.asTenant("acme", async (query) => {
        await sql`select set_config('toolwright.memory_owner', 'agent:a', true)`.execute(query);
        const index = { view: "toolwright.memory_index", vectors: memoryVectors, id: sql<string>`key`, where: sql<boolean>`true`, aids };
        return explain(query, selectByText({ terms: termsOf(text("4711 rare", ["abc"])), language: "english", index }).compile(query));
      });
      expect(plan).toMatch(/Bitmap Index Scan on memories_words/);
      expect(plan).toMatch(/Bitmap Index Scan on memories_names/);
      expect(plan).not.toMatch(/Seq Scan/);
    } finally {
      await test.cleanup();
    }
  });
});
