import { runReaderConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresRunReader } from "./postgres-run-reader.ts";

describe.each(testDatabaseKinds)("runs as one record from their events, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem(async (query) => {
      for (const table of ["events", "sessions", "usage_hours", "calls_in_flight"])
        await sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query);
    });
    const log = createPostgresEventLog(test.database, "p1");
    return { log, reader: createPostgresRunReader(test.database), cleanup: log.settle };
  };
  for (const { name, run } of runReaderConformance(open)) it(name, run);
});
