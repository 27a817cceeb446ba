import { AbortedTransactionError, sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import type { Database } from "./database.ts";
import { openServer } from "./open-server.ts";

describe.each(testDatabaseKinds)("a transaction, %s", (kind) => {
  let test: TestDatabase;
  /** The database of another process: the embedded one is used through the process that holds it. */
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = await (test.url === undefined ? openEmbedded(test.folder as string, { holder: "another" }) : openServer(test.url));
  });
  afterAll(async () => {
    await other.close();
    await test.cleanup();
  });

  const agents = (database: Database) =>
    database.asTenant("acme", async (query) => (await sql`select agent from toolwright.agents`.execute(query)).rows);

  it.each([
    ["its own process", () => test.database],
    ["another process", () => other],
  ])("whose failed statement was swallowed tells that nothing of it was kept, in %s", async (_name, databaseOf) => {
    const database = databaseOf();
    const add = (agent: string, more: string) =>
      database.asTenant("acme", async (query) => {
        await sql`insert into toolwright.agents (tenant, agent, name) values ('acme', ${agent}, 'A')`.execute(query);
        await sql
          .raw(more)
          .execute(query)
          .catch(() => undefined);
        return "kept";
      });
    await expect(add("lost", "select 1 / 0")).rejects.toThrow(AbortedTransactionError);
    expect(await agents(database)).toEqual([]);
    expect(await add("whole", "select 1")).toBe("kept");
    expect(await agents(database)).toEqual([{ agent: "whole" }]);
    await sql`delete from toolwright.agents`.execute(test.database.owner);
  });
});
