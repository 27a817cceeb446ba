import { callTreeConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresCallTree } from "./postgres-call-tree.ts";

describe.each(testDatabaseKinds)("suspended calls in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    for (const table of ["suspended_calls", "approvals"])
      await test.database.asSystem((query) => sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query));
    const store = { tree: createPostgresCallTree(test.database), approvals: createPostgresApprovalStore(test.database) };
    return { ...store, reopen: async () => createPostgresCallTree(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of callTreeConformance(open)) it(name, run);
});
