import { foreignMarksConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresForeignMarks } from "./postgres-foreign-marks.ts";

describe.each(testDatabaseKinds)("foreign marks in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.foreign_marks`.execute(query));
    return { marks: createPostgresForeignMarks(test.database), reopen: async () => createPostgresForeignMarks(test.database) };
  };
  for (const { name, run } of foreignMarksConformance(open)) it(name, run);
});
