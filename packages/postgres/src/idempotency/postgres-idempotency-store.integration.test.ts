import { idempotencyStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresIdempotencyStore } from "./postgres-idempotency-store.ts";

describe.each(testDatabaseKinds)("idempotency keys in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.idempotency_keys`.execute(query));
    const store = createPostgresIdempotencyStore(test.database, { process: "p1" });
    return { store, reopen: async () => createPostgresIdempotencyStore(test.database, { process: "p2" }), cleanup: async () => {} };
  };
  for (const { name, run } of idempotencyStoreConformance(open)) it(name, run);
});
