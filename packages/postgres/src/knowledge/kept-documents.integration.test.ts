import { randomUUID } from "node:crypto";
import {
  type Chunk,
  type IngestRef,
  type KnowledgeStore,
  type NewDocument,
  putDocument,
  usualPersonLimits,
} from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { restoreBackup } from "../backup/restore-backup.ts";
import { writeBackup } from "../backup/write-backup.ts";
import type { Database } from "../database/database.ts";
import { createRetention } from "../retention/retention.ts";
import { readSearchAids } from "../search/search-aids.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createPostgresKnowledge } from "./postgres-knowledge.ts";

const hour = 60 * 60 * 1_000;
const openOn = async (database: Database) =>
  createPostgresKnowledge(database, { findAids: () => readSearchAids(database), vectors: noVectors("None here.") });

const documentOf = (place: string, at = Date.now()): NewDocument => ({
  ...{ collection: "default", title: place, source: { kind: "file", place }, mediaType: "text/plain", hash: place, trust: "foreign" },
  ...{ sources: [], by: { kind: "user", id: "ann" }, at },
});

async function put(store: KnowledgeStore, tenant: string, place: string): Promise<IngestRef> {
  const { document } = await putDocument(store, { ...documentOf(place), tenant }, Buffer.from(`bytes of ${place}`));
  return { tenant, document: document.id, version: document.nextVersion ?? 0 };
}

/** Puts a document in whose passage says this. */
async function putReady(store: KnowledgeStore, tenant: string, text: string): Promise<IngestRef> {
  const ref = await put(store, tenant, `${text}.txt`);
  const now = Date.now();
  await store.take(ref, { holder: "one", until: now + hour }, now);
  const chunk: Chunk = { text, headings: ["A\u0000"], from: 0, page: 3, index: { folded: text, names: "", language: "english" } };
  await store.install(ref, { holder: "one", unread: "Page 4 is a scan.", chunks: [chunk], at: now });
  return ref;
}

async function find(store: KnowledgeStore, tenant: string, word: string) {
  const { items } = await store.search(tenant, { words: [word], codes: [], folded: word, language: "english" });
  return [...items.values()].map(({ text, page, headings, document }) => ({ text, page, headings, error: document.error }));
}

const tables = ["documents", "document_uploads", "document_bytes", "chunks"] as const;

async function countOf(database: Database, tenant: string): Promise<readonly number[]> {
  const counts = tables.map((table) =>
    sql<{ count: number }>`select count(*)::int as count from ${sql.id("toolwright", table)} where tenant = ${tenant}`.execute(
      database.owner,
    ),
  );
  return (await Promise.all(counts)).map(({ rows }) => rows[0]?.count ?? -1);
}

describe("documents that are kept", () => {
  let test: TestDatabase;
  let store: KnowledgeStore;
  beforeAll(async () => {
    test = await openTestDatabase("embedded");
    store = await openOn(test.database);
  });
  afterAll(() => test.cleanup());

  it("come back from a backup with their passages, and what waits is read there", async () => {
    await putReady(store, "acme", "oiled");
    const waiting = await put(store, "acme", "waiting.txt");
    const lines: string[] = [];
    await writeBackup(test.database, async (some) => void lines.push(...some.slice(0, -1).split("\n")));
    const target = await openTestDatabase("server");
    try {
      await restoreBackup(
        target.database,
        (async function* () {
          yield* lines;
        })(),
      );
      const restored = await openOn(target.database);
      expect(await find(restored, "acme", "oiled")).toEqual([
        { text: "oiled", page: 3, headings: ["A\u0000"], error: "Page 4 is a scan." },
      ]);
      const now = Date.now() + hour;
      expect(await restored.due({ now, limit: 9 })).toEqual([waiting]);
      const job = await restored.take(waiting, { holder: "two", until: now + hour }, now);
      expect(Buffer.from((await job?.bytes()) ?? []).toString()).toBe("bytes of waiting.txt");
    } finally {
      await target.cleanup();
    }
  });

  it("stay for as long as nobody removes them, while an upload that is not finished goes after an hour", async () => {
    const at = Date.now();
    const clock = createManualClock(at);
    const begun = await store.begin("other", documentOf("never.txt", at));
    const upload = "upload" in begun ? begun.upload : "";
    await store.append("other", upload, { part: 0, bytes: Buffer.from("half"), at });
    await putReady(store, "other", "kept");
    const waiting = await put(store, "other", "late.txt");
    const retention = createRetention(test.database, { process: randomUUID(), clock });
    await clock.advance(hour - 60_000);
    await retention.tidy();
    expect(await countOf(test.database, "other")).toEqual([2, 2, 2, 1]);
    await clock.advance(9_999 * 24 * hour);
    await retention.tidy();
    expect(await countOf(test.database, "other")).toEqual([2, 1, 1, 1]);
    expect(await store.append("other", upload, { part: 1, bytes: Buffer.from("rest"), at })).toBe(false);
    expect(await store.due({ now: clock.now(), limit: 9 })).toContainEqual(waiting);
  });

  it("go with their tenant, and those of others stay", async () => {
    await sql`delete from toolwright.tenants where tenant = 'other'`.execute(test.database.owner);
    expect(await countOf(test.database, "other")).toEqual([0, 0, 0, 0]);
    expect(await countOf(test.database, "acme")).toEqual([2, 1, 1, 1]);
    expect(await find(store, "acme", "oiled")).toHaveLength(1);
  });

  it("takes so many uploads of a person at most, and says what to do; others add theirs (R-SH-2)", async () => {
    const limits = { ...usualPersonLimits, openUploads: 2, uploads: 3, uploadBytes: 100 };
    const aids = await readSearchAids(test.database);
    const small = createPostgresKnowledge(test.database, { findAids: async () => aids, vectors: noVectors("None here."), limits });
    const of = (place: string, id = "dora"): NewDocument => ({ ...documentOf(place), by: { kind: "user", id } });
    const begin = (place: string, id?: string) => small.begin("acme", of(place, id));
    await begin("open 1");
    await begin("open 2");
    await expect(begin("open 3")).rejects.toMatchObject({
      code: "limit_reached",
      message:
        "You have 2 uploads that are not finished, as many as one person may have. Finish them; those that nobody finishes are removed after an hour. toolwright usage limits and the page /usage show your limits.",
    });
    await begin("open 1", "emil");
    // What agents write counts for the person whom they work for.
    const byAgent = (person: string) => ({ ...of(person), by: { kind: "agent", id: "helper" }, sharer: `user ${person}` }) as const;
    await expect(small.begin("acme", byAgent("dora"))).rejects.toMatchObject({ code: "limit_reached" });
    await small.begin("acme", byAgent("emil"));
    for (const place of ["a", "b", "c"]) await putDocument(small, { ...of(place, "fay"), tenant: "acme" }, Buffer.from(place));
    await expect(begin("d", "fay")).rejects.toMatchObject({ code: "limit_reached", details: { rule: "uploads", limit: 3 } });
    await putDocument(small, { ...of("e", "gus"), tenant: "acme" }, Buffer.alloc(100));
    await expect(begin("f", "gus")).rejects.toMatchObject({ code: "limit_reached", details: { rule: "uploadBytes" } });
  });
});
