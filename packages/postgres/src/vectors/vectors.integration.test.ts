import type { SearchQuery } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCandidates } from "../search/find-candidates.ts";
import { readSearchAids, type SearchAids } from "../search/search-aids.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { whyNoPgvector } from "../testing/pgvector.ts";
import { openVectors } from "./open-vectors.ts";
import type { StoredVectors } from "./stored-vectors.ts";
import { createVectorIndex } from "./vector-index.ts";
import { memoryVectors } from "./vector-source.ts";

const model = "letters@3";
/** A direction in space. */
const towards = (...numbers: number[]) => new Float32Array(numbers).map((value) => value / Math.hypot(...numbers));

describe("vectors in the embedded database", () => {
  let test: TestDatabase;
  let aids: SearchAids;
  let index: StoredVectors;
  beforeAll(async () => {
    test = await openTestDatabase("embedded");
    index = createVectorIndex(test.database, memoryVectors, () => openVectors(test.database));
    aids = await readSearchAids(test.database);
  });
  afterAll(() => test.cleanup());

  const save = (key: string, content: string, { tenant = "acme", owner = "agent:a" } = {}) =>
    sql`select toolwright.save_memory(${tenant}, ${owner}, ${key}, 'core', ${JSON.stringify(content)}, 'agent', '[]', '{}', null, 0, null, 'english', ${content.toWellFormed().replaceAll("\u0000", "")}, '')`.execute(
      test.database.owner,
    );
  const find = (vector: Float32Array | undefined, { tenant = "acme", owner = "agent:a", words = [] as string[], used = model } = {}) =>
    test.database.asTenant(tenant, async (query) => {
      await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
      const search: SearchQuery = {
        words,
        codes: [],
        folded: "",
        language: "english",
        ...(vector && { vector: { model: used, value: vector } }),
      };
      const place = {
        view: "toolwright.memory_index",
        vectors: memoryVectors,
        id: sql<string>`entry.key`,
        where: sql<boolean>`true`,
        finder: "find_memories",
        arguments: [sql`now()`, sql`null`, sql`null`],
        aids,
      };
      return findCandidates(query, search, place);
    });
  const keepAll = async (used: string, vectorOf: (id: string) => Float32Array) => {
    const waiting = await index.pending(used, { limit: 100 });
    await index.keep(
      used,
      waiting.map((each) => ({ ...each, vector: vectorOf(each.id) })),
    );
    return waiting.map(({ id }) => id).sort();
  };

  it("are kept of what waits, found by nearness, and made anew for a changed text and for another model", async () => {
    expect(await index.unavailable()).toBeUndefined();
    const directions: Record<string, Float32Array> = {
      x: towards(1, 0, 0),
      y: towards(0, 1, 0),
      xy: towards(1, 0.9, 0),
      theirs: towards(1, 0, 0),
    };
    await save("x", "odd \u0000 \ud800 text");
    await save("y", "yes");
    await save("xy", "both");
    await save("theirs", "of another agent", { owner: "agent:b" });
    const [first] = (await index.pending(model, { limit: 10, tenant: "acme", owner: "agent:a" })).filter(({ id }) => id === "x");
    expect(first).toEqual({ tenant: "acme", owner: "agent:a", id: "x", mark: 1, text: "odd \u0000 \ud800 text" });
    expect(await keepAll(model, (id) => directions[id] as Float32Array)).toEqual(["theirs", "x", "xy", "y"]);
    expect(await index.pending(model, { limit: 10 })).toEqual([]);

    const found = await find(towards(1, 0.1, 0), { words: ["yes"] });
    expect(found.candidates.map(({ id }) => id)).toEqual(["y", "x", "xy"]);
    expect(found.candidates.find(({ id }) => id === "x")?.vector).toBeCloseTo(1 / Math.hypot(1, 0.1), 2);
    expect(found.alike).toEqual([["x", "xy", expect.closeTo(1 / Math.hypot(1, 0.9), 2)]]);

    await save("y", "no longer");
    expect((await find(towards(0, 1, 0))).candidates.map(({ id }) => id)).toEqual(["xy"]);
    expect(await keepAll(model, () => towards(0, 0, 1))).toEqual(["y"]);

    expect((await find(towards(1, 0, 0, 0))).candidates).toEqual([]);
    expect(await keepAll("letters@4", () => towards(1, 0, 0, 0))).toEqual(["theirs", "x", "xy", "y"]);
    expect((await find(towards(1, 0, 0))).candidates).toEqual([]);
    expect((await find(towards(1, 0, 0, 0), { used: "letters@4" })).candidates.map(({ id }) => id)).toEqual(["x", "xy", "y"]);
  });

  it("are not kept for an entry that changed or went meanwhile", async () => {
    await save("late", "first");
    await save("gone", "first");
    const waiting = await index.pending("letters@4", { limit: 10 });
    await save("late", "second");
    await sql`delete from toolwright.memories where key = 'gone'`.execute(test.database.owner);
    await index.keep(
      "letters@4",
      waiting.map((each) => ({ ...each, vector: towards(1, 0, 0, 0) })),
    );
    expect((await index.pending("letters@4", { limit: 10 })).map(({ id, mark }) => [id, mark])).toEqual([["late", 2]]);
  });

  it("are seen by their own tenant and owner alone, in SQL too, and go with the tenant", async () => {
    await save("other", "of another tenant", { tenant: "other" });
    await keepAll("letters@4", () => towards(1, 0, 0, 0));
    const seen = (tenant: string, owner: string) =>
      test.database.asTenant(tenant, async (query) => {
        await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
        const { rows } = await sql<{ id: string }>`select id from toolwright_vectors.memories order by id`.execute(query);
        return rows.map(({ id }) => id);
      });
    expect(await seen("acme", "agent:b")).toEqual(["theirs"]);
    expect(await seen("other", "agent:a")).toEqual(["other"]);
    expect(await seen("other", "agent:b")).toEqual([]);
    expect((await find(towards(1, 0, 0, 0), { used: "letters@4", owner: "agent:b" })).candidates.map(({ id }) => id)).toEqual(["theirs"]);
    await sql`delete from toolwright.memories where tenant = 'other'`.execute(test.database.owner);
    expect(await seen("other", "agent:a")).toEqual([]);
  });

  it("are not asked for again where nothing waits, until something changes in any process", async () => {
    const waiting = async () => (await index.pending("letters@4", { limit: 10, tenant: "acme", owner: "agent:a" })).map(({ id }) => id);
    await keepAll("letters@4", () => towards(1, 0, 0, 0));
    expect(await waiting()).toEqual([]);
    await save("unheard", "of");
    expect(await waiting()).toEqual([]);
    const told = Promise.withResolvers<void>();
    const stop = index.onPending(told.resolve);
    test.database.announce({ topic: memoryVectors.topic, tenant: "acme", id: "unheard" });
    await told.promise;
    stop();
    expect(await waiting()).toEqual(["unheard"]);
    await keepAll("letters@4", () => towards(1, 0, 0, 0));
    expect(await waiting()).toEqual([]);
    await save("at once", "here");
    index.changed("acme", "at once");
    expect(await waiting()).toEqual(["at once"]);
    await save("more", "of", { owner: "agent:b" });
    index.changed("acme", "more");
    expect(await waiting()).toEqual(["at once"]);
  });

  it("are nearly all found that are nearest, also where more are there than are compared by their numbers", async () => {
    const [owner, used] = ["agent:many", "numbers@128"];
    await sql`insert into toolwright.memories (tenant, owner, key, category, content, trust, sources, by, version, created_at, saved_at, names, words)
      select 'acme', ${owner}, 'k' || n, 'core', '""', 'agent', '[]', '{}', 1, now(), now(), '', '' from generate_series(1, 1500) as n`.execute(
      test.database.owner,
    );
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647 - 0.5;
    };
    const middles = Array.from({ length: 20 }, () => Array.from({ length: 128 }, random));
    const vectorNear = (middle: readonly number[]) => towards(...middle.map((value) => value + 0.8 * random()));
    const waiting = await index.pending(used, { limit: 2_000, tenant: "acme", owner });
    const kept = waiting.map((each, at) => ({ ...each, vector: vectorNear(middles[at % 20] ?? []) }));
    await index.keep(used, kept);
    let found = 0;
    for (const middle of middles) {
      const asked = vectorNear(middle);
      const cosine = (vector: Float32Array) => vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0);
      const ranked = kept.map(({ id, vector }) => ({ id, cosine: cosine(vector) })).sort((one, other) => other.cosine - one.cosine);
      const ids = new Set((await find(asked, { owner, used })).candidates.map(({ id }) => id));
      found += ranked.slice(0, 10).filter(({ id }) => ids.has(id)).length;
    }
    expect(found).toBeGreaterThanOrEqual(198);
  });
});

it.skipIf((await whyNoPgvector()) === undefined)(
  "cannot be had from a server without the extension, which is said with what to do, and searches go on by words",
  async () => {
    const test = await openTestDatabase("server");
    try {
      const place = await openVectors(test.database);
      expect(place.unavailable).toBe(
        "Vectors took no part: the database has no extension vector. Install pgvector 0.7 or newer. As an administrator of the database run: CREATE EXTENSION vector;",
      );
      const index = createVectorIndex(test.database, memoryVectors, async () => place);
      expect([await index.unavailable(), await index.pending(model, { limit: 1 })]).toEqual([place.unavailable, []]);
    } finally {
      await test.cleanup();
    }
  },
);
