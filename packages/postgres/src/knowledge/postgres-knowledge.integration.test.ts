import { knowledgeStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import type { Database } from "../database/database.ts";
import { readSearchAids, type SearchAids } from "../search/search-aids.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createPostgresKnowledge } from "./postgres-knowledge.ts";

describe.each(testDatabaseKinds)("documents in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** The database of a server, as another process has it. */
  let other: Database;
  let aids: SearchAids;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = kind === "server" ? await test.reopen() : test.database;
    aids = await readSearchAids(test.database);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await sql`truncate toolwright.documents, toolwright.document_uploads cascade`.execute(test.database.owner);
    const openOn = (database: Database) =>
      createPostgresKnowledge(database, { findAids: async () => aids, vectors: noVectors("None here.") });
    return { store: openOn(test.database), reopen: async () => openOn(other), cleanup: async () => {} };
  };
  for (const { name, run } of knowledgeStoreConformance(open)) it(name, run);
});
