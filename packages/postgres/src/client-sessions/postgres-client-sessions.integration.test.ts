import { clientSessionsConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresClientSessions } from "./postgres-client-sessions.ts";

describe.each(testDatabaseKinds)("sessions of clients in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.client_sessions`.execute(query));
    return { sessions: createPostgresClientSessions(test.database), reopen: async () => createPostgresClientSessions(test.database) };
  };
  for (const { name, run } of clientSessionsConformance(open)) it(name, run);
});
