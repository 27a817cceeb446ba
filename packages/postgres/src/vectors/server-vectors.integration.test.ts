import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database, Query } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { indexOf } from "../knowledge/read-documents.ts";
import { migrate } from "../migrate/migrate.ts";
import { findCandidates } from "../search/find-candidates.ts";
import { findNearIndex, selectNear } from "../search/near-query.ts";
import { readSearchAids, type SearchAids } from "../search/search-aids.ts";
import { findByVector, leastCosine, mostNear, type VectorSearch } from "../search/vector-query.ts";
import { explain } from "../testing/explain-queries.ts";
import { openEmptyDatabase, openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { whyNoPgvector } from "../testing/pgvector.ts";
import { makeNearIndexes } from "./make-near-indexes.ts";
import { openVectors, whyNoVectors } from "./open-vectors.ts";
import { createVectorIndex, writeVector } from "./vector-index.ts";
import { chunkVectors, mostVectors } from "./vector-source.ts";

const why = await whyNoPgvector();
const words = why === undefined ? "" : ` (left out: ${why})`;
const [model, dimensions] = ["scattered", 16];

/** Passages with vectors in all directions; each tenth document is in the collection `rare`. */
async function fill(database: Database, tenant: string, { passages, of = model }: { readonly passages: number; readonly of?: string }) {
  await sql`insert into toolwright.documents
      (tenant, document, collection, title, source, media_type, hash, trust, sources, by, version, state, created_at, updated_at)
    select ${tenant}, 'doc_' || n, case when n % 10 = 0 then 'rare' else 'default' end, '"Title"', '{"kind":"text"}', '"text/plain"', n, 'agent', '[]',
      '{}', 1, 'ready', now(), now() from generate_series(1, 100) as n`.execute(database.owner);
  await sql`insert into toolwright.chunks (tenant, document, chunk, version, content, headings, from_char, names, words)
    select ${tenant}, 'doc_' || n % 100 + 1, n, 1, '"text"', '[]', 0, '', to_tsvector('simple', 'word' || n % 500)
    from generate_series(1, ${passages}::int) as n`.execute(database.owner);
  await sql`insert into toolwright_vectors.chunks (tenant, owner, id, mark, model, embedding)
    select tenant, document, chunk, version, ${of}, (
      select array_agg(x / norm) from (select x, sqrt(sum(x * x) over ()) as norm from (
        select random() - 0.5 + 0 * chunk as x from generate_series(1, ${dimensions}::int)) as free) as scaled
    )::toolwright_vectors.vector::toolwright_vectors.halfvec from toolwright.chunks where tenant = ${tenant}`.execute(database.owner);
  await sql`vacuum analyze toolwright.documents, toolwright.chunks, toolwright_vectors.chunks`.execute(database.owner);
}

describe.skipIf(why)(`vectors on a PostgreSQL server${words}`, () => {
  let test: TestDatabase;
  let aids: SearchAids;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    await openVectors(test.database);
    aids = await readSearchAids(test.database);
    await fill(test.database, "acme", { passages: mostVectors });
    await fill(test.database, "other", { passages: 300 });
  });
  afterAll(() => test.cleanup());

  const asked = () => {
    const direction = Array.from({ length: dimensions }, () => Math.random() - 0.5);
    return new Float32Array(direction.map((value) => value / Math.hypot(...direction)));
  };
  const searchOf = (value: Float32Array, collection?: string): VectorSearch => {
    const { vectors: support = { schema: "", version: "" } } = aids;
    return { ...indexOf(collection, aids), vector: { model, value }, source: chunkVectors, support };
  };
  /** By the numbers of all: a search without an index compares those of the nearest signs, and so few numbers have few signs. */
  const selectExact = async (query: Query, value: Float32Array) => {
    const cosine = sql`-(embedding operator(toolwright_vectors.<#>) ${writeVector(value)}::toolwright_vectors.halfvec)`;
    const { rows } = await sql<{ id: string }>`select owner || ' ' || id as id from toolwright_vectors.chunks
      where tenant = toolwright.current_tenant() and model = ${model} and ${cosine} >= ${leastCosine}
      order by ${cosine} desc limit ${mostNear}`.execute(query);
    return rows.map(({ id }) => id);
  };
  const selectCompared = async (query: Query, value: Float32Array, collection: string) =>
    (await findByVector(query, searchOf(value, collection))).near.map(([id]) => id);
  const find = (value: Float32Array, { tenant = "acme", collection }: { readonly tenant?: string; readonly collection?: string } = {}) =>
    test.database.asTenant(tenant, async (query) => {
      const vector = { model, value };
      const found = await findCandidates(
        query,
        { words: ["word7"], codes: [], folded: "word7", language: "english", vector },
        indexOf(collection, aids),
      );
      const near = new Set(found.candidates.filter((each) => each.vector !== undefined).map(({ id }) => id));
      // A part is compared by itself, without the index.
      const exact = collection === undefined ? await selectExact(query, value) : await selectCompared(query, value, collection);
      return { without: found.without, recall: exact.filter((id) => near.has(id)).length / exact.length };
    });

  it("are compared as far as words find them where they are many, which is said, and all of them in a small tenant", async () => {
    const many = await find(asked());
    expect(many.recall).toBeLessThan(0.3);
    expect(many.without).toEqual([expect.stringMatching(/more than 20,000 texts.*toolwright db vectors makes an index/)]);
    expect(await find(asked(), { tenant: "other" })).toEqual({ without: [], recall: 1 });
  });

  it("of many texts are indexed while others write and read, by one process at a time, and an index that was stopped is not used", async () => {
    const { database } = test;
    const [held, isOpen] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    // The making waits for those who were at it before.
    const before = database.asTenant("acme", async (query) => {
      await sql`select count(*) from toolwright_vectors.chunks`.execute(query);
      isOpen.resolve();
      await held.promise;
    });
    await isOpen.promise;
    const [stopping, begun] = [new AbortController(), Promise.withResolvers<void>()];
    const making = makeNearIndexes(database, { onMake: () => begun.resolve(), signal: stopping.signal });
    try {
      await begun.promise;
      await expect.poll(() => countIndexes()).toBe(1);
      await expect(makeNearIndexes(database)).rejects.toMatchObject({ code: "server_unavailable" });
      await sql`insert into toolwright.chunks (tenant, document, chunk, version, content, headings, from_char, names, words)
        values ('acme', 'doc_1', 100001, 1, '"text"', '[]', 0, '', '')`.execute(database.owner);
      const index = createVectorIndex(database, chunkVectors, () => openVectors(database));
      const waiting = await index.pending(model, { limit: 10 });
      await index.keep(
        model,
        waiting.map((each) => ({ ...each, vector: asked() })),
      );
      expect([waiting.length, await index.pending(model, { limit: 10 })]).toEqual([1, []]);
      stopping.abort();
      await expect(making).resolves.toMatchObject({ indexes: [] });
      await test.database.asTenant("acme", async (query) => expect(await findNearIndex(query, searchOf(asked()))).toBeUndefined());
    } finally {
      held.resolve();
      await before;
    }
  });

  const countIndexes = async () => {
    const { rows } = await sql`select from pg_class where starts_with(relname, 'near_')`.execute(test.database.owner);
    return rows.length;
  };

  it("are found by the index: nearly all that comparing each finds, also in a part, and no other tenant's", async () => {
    const made = await makeNearIndexes(test.database);
    const group = { of: "chunks", tenant: "acme", owner: null, model, dimensions, vectors: mostVectors + 1 };
    expect(made).toMatchObject({ vectors: { memories: 0, chunks: mostVectors + 301 }, indexes: [{ ...group, state: "made" }], removed: 1 });
    expect(await makeNearIndexes(test.database)).toEqual({ ...made, indexes: [{ ...group, state: "kept" }], removed: 0 });

    const recalls: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const { recall, without } = await find(asked());
      expect(without).toEqual([]);
      recalls.push(recall);
    }
    expect(recalls.reduce((sum, recall) => sum + recall, 0) / recalls.length).toBeGreaterThan(0.9);
    expect(await find(asked(), { tenant: "other" })).toEqual({ without: [], recall: 1 });
    expect(await find(asked(), { collection: "rare" })).toEqual({ without: [], recall: 1 });

    await test.database.asTenant("acme", async (query) => {
      const search = searchOf(asked());
      const found = await findNearIndex(query, search);
      expect(found).toEqual({ of: "chunks", tenant: "acme", owner: null, model, dimensions });
      await sql`set local enable_sort = off`.execute(query);
      if (found)
        expect(await explain(query, selectNear(search, found).compile(query))).toMatch(/Index Scan using near_chunks_\w+ on chunks/);
      // In the words of another tenant it finds nothing.
      const { rows } = await query.executeQuery(selectNear(search, { ...group, tenant: "other" }).compile(query));
      expect(rows).toEqual([]);
    });
  });

  it("of another model are made anew, and the index of the one before goes", async () => {
    const { database } = test;
    await sql`update toolwright_vectors.chunks set model = 'another' where tenant = 'acme'`.execute(database.owner);
    const again = await makeNearIndexes(database);
    expect(again).toMatchObject({ removed: 1, indexes: [{ model: "another", state: "made" }] });
    expect(await countIndexes()).toBe(1);
  });
});

describe.skipIf(why)(`the extension of vectors${words}`, () => {
  it("may stand in another schema, which is opened where that may be, and is asked of an administrator otherwise", async () => {
    const test = await openTestDatabase("server");
    const { owner } = test.database;
    try {
      await sql`create schema "own place"`.execute(owner);
      await sql`create extension vector schema "own place"`.execute(owner);
      expect(await openVectors(test.database)).toMatchObject({ schema: "own place" });
      const seen = await test.database.asTenant("acme", (query) => sql`select '[1]'::"own place".halfvec`.execute(query));
      expect(seen.rows).toHaveLength(1);

      // As before 0.7.
      await sql`alter type "own place".halfvec rename to other`.execute(owner);
      const old =
        /^Vectors took no part: the extension vector of the database is version [\d.]+, without halfvec\. Install pgvector 0\.7 or newer\..*ALTER EXTENSION vector UPDATE;$/;
      expect((await openVectors(test.database)).unavailable).toMatch(old);
      expect(await whyNoVectors(test.database)).toMatch(old);
      await sql`drop extension vector cascade`.execute(owner);
      expect(await openVectors(test.database)).toMatchObject({ schema: "toolwright_vectors" });
    } finally {
      await test.cleanup();
    }
  });

  it("is made by an administrator where the user of the store may not, and everything else by the user", async () => {
    const test = await openEmptyDatabase("server");
    const { owner } = test.database;
    const role = `ann_${crypto.randomUUID().slice(0, 8)}`;
    const name = sql.id(new URL(test.url ?? "").pathname.slice(1));
    await sql`create role ${sql.id(role)} login createrole`.execute(owner);
    await sql`alter database ${name} owner to ${sql.id(role)}`.execute(owner);
    await sql`grant toolwright_tenant, toolwright_system to ${sql.id(role)} with admin option`.execute(owner);
    const database = await openServer(Object.assign(new URL(test.url ?? ""), { username: role }).href);
    try {
      await migrate(database.owner);
      expect(await openVectors(database)).toEqual({
        unavailable: expect.stringMatching(
          /permission denied to create extension "vector".*As an administrator.*CREATE EXTENSION vector;$/,
        ),
      });
      await sql`create schema extensions`.execute(owner);
      await sql`create extension vector schema extensions`.execute(owner);
      expect((await openVectors(database)).unavailable).toMatch(
        /schema extensions, which is closed.*GRANT USAGE ON SCHEMA "extensions" TO toolwright_tenant, toolwright_system;$/,
      );
      await sql`grant usage on schema extensions to toolwright_tenant, toolwright_system`.execute(owner);
      expect(await openVectors(database)).toMatchObject({ schema: "extensions" });
      await sql`insert into toolwright.tenants (tenant, name) values ('acme', 'Acme')`.execute(owner);
      await sql`set session_replication_role = replica; insert into toolwright_vectors.chunks (tenant, owner, id, mark, model, embedding)
        select 'acme', 'd', n, 1, 'small', '[1,0]' from generate_series(1, ${sql.lit(mostVectors)}) n; set session_replication_role = origin`.execute(
        owner,
      );
      expect(await makeNearIndexes(database)).toMatchObject({ indexes: [{ vectors: mostVectors, state: "made" }] });
    } finally {
      await database.close();
      await test.cleanup();
    }
  });
});
