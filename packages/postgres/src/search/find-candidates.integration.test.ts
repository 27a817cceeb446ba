import type { SearchQuery } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Query } from "../database/database.ts";
import { seeMemoriesOf } from "../memories/postgres-memories.ts";
import { countScans, explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { memoryVectors } from "../vectors/vector-source.ts";
import { findCandidates, type SearchIndex, selectByNames } from "./find-candidates.ts";
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

  const indexWith = (some = aids): SearchIndex => ({
    ...{ view: "toolwright.memory_index", vectors: memoryVectors, id: sql<string>`key`, where: sql<boolean>`true`, aids: some },
    ...{ finder: "find_memories", arguments: [sql`now()`, sql`null`, sql`null`] },
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
    const daily = { arguments: [sql`now()`, sql`null`, sql`'daily'`], isNarrow: true };
    expect(await find(text("server"), { ...indexWith(), ...daily })).toMatchObject({
      total: 0,
      candidates: [],
      frequencies: { server: 0 },
    });
  });
});

describe("a search of many texts", () => {
  let test: TestDatabase;
  let aids: SearchAids;
  const index = (): SearchIndex => ({
    ...{ view: "toolwright.memory_index", vectors: memoryVectors, id: sql<string>`key`, where: sql<boolean>`true`, aids },
    ...{ finder: "find_memories", arguments: [sql`now()`, sql`null`, sql`null`] },
  });
  const inPlace = <Result>(work: (query: Query) => Promise<Result>) =>
    test.database.asTenant("acme", async (query) => {
      await seeMemoriesOf(query, "agent:a");
      return work(query);
    });
  beforeAll(async () => {
    test = await openTestDatabase("server");
    const { owner } = test.database;
    // Every entry has "note"; every 4th "red", every 5th "blue"; one in 1,000 is "odd".
    await sql`insert into toolwright.memories (tenant, owner, key, category, content, trust, sources, by, version, created_at, saved_at, names, words)
      select case when n % 2 = 0 then 'acme' else 'other' end, 'agent:a', 'k' || n, 'core', '""', 'agent', '[]', '{}', 1, now(), now(), 'name' || md5(n::text),
        to_tsvector('pg_catalog.simple', concat_ws(' ', 'note', case when n / 2 % 4 = 0 then 'red' end, case when n / 2 % 5 = 0 then 'blue' end,
          case when n / 2 % 1000 = 7 then 'odd' end, n)) from generate_series(1, 20000) as n`.execute(owner);
    await sql`vacuum analyze toolwright.memories`.execute(owner);
    aids = await readSearchAids(test.database);
  });
  afterAll(() => test.cleanup());

  it("finds all that hold a rare word, then what holds several common ones, and tells about how common they are", async () => {
    const { candidates, frequencies, total } = await inPlace((query) => findCandidates(query, text("note red blue odd"), index()));
    expect(candidates).toHaveLength(60);
    const numbers = candidates.map(({ id }) => Number(id.slice(1)) / 2);
    expect(numbers.slice(0, 10).every((each) => each % 1000 === 7)).toBe(true);
    expect(numbers.slice(10).every((each) => each % 20 === 0)).toBe(true);
    expect(total).toBe(10_000);
    expect(frequencies.odd).toBe(10);
    expect(frequencies.note).toBe(10_000);
    expect(frequencies.red).toBeCloseTo(2_500, -3);
    expect(frequencies.blue).toBeCloseTo(2_000, -3);
  });

  it("goes by the indexes of words and of names under the role of a tenant", async () => {
    const scans = await countScans(test.database, { index: "memories_words", tenant: "acme" }, async (query) => {
      await seeMemoriesOf(query, "agent:a");
      await findCandidates(query, text("4711 rare", ["abc"]), index());
    });
    expect(scans).toBeGreaterThan(0);
    const schema = aids.trigrams as string;
    const plan = await inPlace((query) =>
      explain(query, selectByNames({ ...index(), schema }, termsOf(text("4711 rare", ["abc"]))).compile(query)),
    );
    expect(plan).toMatch(/Bitmap Index Scan on memories_names/);
    expect(plan).not.toMatch(/Seq Scan/);
  });
});
