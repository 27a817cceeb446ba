import { turnsConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTurns } from "./postgres-turns.ts";

describe.each(testDatabaseKinds)("turns in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await sql`truncate toolwright.turns, toolwright.messages cascade`.execute(test.database.owner);
    return { turns: createPostgresTurns(test.database), reopen: async () => createPostgresTurns(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of turnsConformance(open)) it(name, run);
});
