import { type Memories, putDocument } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPostgresKnowledge } from "../knowledge/postgres-knowledge.ts";
import { createPostgresMemories } from "../memories/postgres-memories.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { readSearchAids } from "./search-aids.ts";
import { countWords, createStoredWords } from "./stored-words.ts";

const hour = 60 * 60 * 1_000;
const owner = { tenant: "acme", owner: "agent:a" };
const indexOf: Memories["indexOf"] = (text, own) => ({ folded: `${own}\n${text}`.toLowerCase(), names: "", language: "english" });
const query = (word: string) => ({ words: [word], codes: [], folded: word, language: "english" });

describe.each(testDatabaseKinds)("words that a server of another major of PostgreSQL made, %s", (kind) => {
  let test: TestDatabase;
  let memories: ReturnType<typeof createPostgresMemories>;
  let knowledge: ReturnType<typeof createPostgresKnowledge>;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    const parts = { findAids: () => readSearchAids(test.database), vectors: noVectors("None here.") };
    memories = createPostgresMemories(test.database, parts);
    knowledge = createPostgresKnowledge(test.database, parts);
    for (let at = 0; at < 9; at += 1) await remember(`rule${at}`, `Deploys of service ${at} go out on Tuesdays.`);
    await putReady("The pump is oiled.", ["Upkeep"]);
  });
  afterAll(() => test.cleanup());
  beforeEach(() => age(1));

  const remember = (key: string, content: string) =>
    memories.save(owner, {
      ...{ key, content, category: "core", trust: "agent", sources: [], by: { kind: "agent", id: "a" }, savedAt: Date.now() },
      index: indexOf(content, key),
    });
  const putReady = async (text: string, headings: readonly string[]) => {
    const given = {
      collection: "default",
      title: "Manual",
      source: { kind: "file", place: "/manual.txt" },
      mediaType: "text/plain",
    } as const;
    const more = { hash: text, trust: "foreign", sources: [], by: { kind: "user", id: "ann" }, at: Date.now() } as const;
    const { document } = await putDocument(knowledge, { ...given, ...more, tenant: "acme" }, Buffer.from(text));
    const ref = { tenant: "acme", document: document.id, version: document.nextVersion ?? 0 };
    const now = Date.now();
    await knowledge.take(ref, { holder: "one", until: now + hour }, now);
    const index = indexOf(text, ["Manual", ...headings].join("\n"));
    await knowledge.install(ref, { holder: "one", chunks: [{ text, headings, from: 0, index }], at: now });
  };
  /** As a restore or pg_upgrade leaves them; null as a version before did. */
  const age = async (major: number | null) => {
    for (const table of ["memories", "chunks"])
      await sql`update ${sql.id("toolwright", table)} set words = 'of an older major'::tsvector, words_major = ${major}`.execute(
        test.database.owner,
      );
  };
  const found = async (word: string) => {
    const { items } = await memories.search(owner, { ...query(word), now: Date.now() });
    const passages = await knowledge.search("acme", query(word));
    return [...[...items.keys()].sort(), ...[...passages.items.values()].map(({ text }) => text)];
  };
  /** Until it has looked once, which it does again in an hour. */
  const keepOnce = async (index = indexOf) => {
    const told: (number | string)[] = [];
    const looked = Promise.withResolvers<void>();
    const after = () => {
      looked.resolve();
      return () => {};
    };
    const clock = { ...createManualClock(), after };
    const words = createStoredWords(test.database, { clock, warn: (message) => told.push(message) });
    const stop = words.keepCurrent({ indexOf: index, onRemade: (count) => told.push(count) });
    await looked.promise;
    await stop();
    return told;
  };

  it.each([
    ["of a known one", 1],
    ["of nobody knows which", null],
  ])("are made anew: %s", async (_name, major) => {
    await age(major);
    expect([await found("deploy"), await found("oil"), await countWords(test.database)]).toEqual([[], [], { outdated: 10, total: 10 }]);
    expect(await keepOnce()).toEqual([10]);
    expect(await found("deploy")).toHaveLength(9);
    expect(await found("rule3")).toEqual(["rule3"]);
    for (const word of ["oil", "upkeep", "manual"]) expect(await found(word)).toEqual(["The pump is oiled."]);
    expect(await countWords(test.database)).toEqual({ outdated: 0, total: 10 });
    expect(await keepOnce()).toEqual([]);
  });

  it("stay where this server made them, and an entry that is saved anew has its words", async () => {
    await remember("rule0", "Deploys wait.");
    expect(await countWords(test.database)).toEqual({ outdated: 9, total: 10 });
    await sql`update toolwright.memories set words = 'kept'::tsvector where key = 'rule0'`.execute(test.database.owner);
    expect(await keepOnce()).toEqual([9]);
    expect(await found("kept")).toEqual(["rule0"]);
  });

  it("are made by the next that looks where one stopped in the middle, which loses nothing", async () => {
    let left = 5;
    const told = await keepOnce((text, own) => {
      if (left-- === 0) throw new Error("the process is gone");
      return indexOf(text, own);
    });
    expect(told).toEqual([expect.stringMatching(/tried again in an hour: .*the process is gone/)]);
    expect(await countWords(test.database)).toEqual({ outdated: 6, total: 10 });
    expect(await keepOnce()).toEqual([6]);
    expect(await found("deploy")).toHaveLength(9);
  });

  it("are made once, however many look at the same time", async () => {
    const told = await Promise.all([keepOnce(), keepOnce(), keepOnce()]);
    expect(told.flat().reduce((sum: number, one) => sum + Number(one), 0)).toBe(10);
    expect(await countWords(test.database)).toEqual({ outdated: 0, total: 10 });
  });
});
