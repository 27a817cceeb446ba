import { memoryStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { readSearchAids } from "../search/search-aids.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createPostgresMemories } from "./postgres-memories.ts";

describe.each(testDatabaseKinds)("memories in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** The database of a server, as another process has it. */
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = kind === "server" ? await test.reopen() : test.database;
  });
  afterAll(() => test.cleanup());

  const storeOn = async (database: Database) =>
    createPostgresMemories(database, { findAids: () => readSearchAids(database), vectors: noVectors("None here.") });
  const open = async () => ({
    memories: await storeOn(test.database),
    reopen: () => storeOn(other),
    cleanup: async () => {
      await sql`delete from toolwright.memories`.execute(test.database.owner);
    },
  });
  for (const { name, run } of memoryStoreConformance(open)) it(name, run);

  it("lets a tenant read and write rows of the owner of the transaction alone, in SQL too", async () => {
    const { memories, cleanup } = await open();
    const index = { folded: "mine", names: "", language: "english" };
    const by = { kind: "user", id: "ann" } as const;
    const memory = { key: "k", content: "mine", category: "core", trust: "agent", sources: [], savedAt: 1, by, index } as const;
    await memories.save({ tenant: "acme", owner: "agent:a" }, memory);
    const tables = ["memories", "memory_versions", "memory_index"];
    const count = (tenant: string, owner: string | undefined) =>
      test.database.asTenant(tenant, async (query) => {
        if (owner !== undefined) await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
        const counts: number[] = [];
        for (const table of tables) {
          const { rows } = await sql<{ n: number }>`select count(*)::int as n from ${sql.table(`toolwright.${table}`)}`.execute(query);
          counts.push(rows[0]?.n ?? -1);
        }
        return counts;
      });
    expect(await count("acme", "agent:a")).toEqual([1, 1, 1]);
    expect(await count("acme", "agent:b")).toEqual([0, 0, 0]);
    expect(await count("acme", undefined)).toEqual([0, 0, 0]);
    expect(await count("other", "agent:a")).toEqual([0, 0, 0]);
    await expect(
      test.database.asTenant("acme", (query) =>
        sql`update toolwright.memories set owner = 'agent:b' where key = 'k' returning 1`.execute(query),
      ),
    ).resolves.toMatchObject({ rows: [] });
    await cleanup();
  });
});
