import { hooksConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { explain } from "../testing/explain-queries.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresHooks, selectHook } from "./postgres-hooks.ts";

describe.each(testDatabaseKinds)("hooks in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** The database of a server, as another process has it. */
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = kind === "server" ? await test.reopen() : test.database;
  });
  afterAll(() => test.cleanup());

  const setSuspended = (tenant: string, at: Date | null) =>
    test.database.asSystem((query) =>
      query.updateTable("toolwright.tenants").set({ suspended_at: at }).where("tenant", "=", tenant).execute(),
    );
  const open = async () => {
    await sql`truncate toolwright.hooks`.execute(test.database.owner);
    await setSuspended("other", null);
    return {
      hooks: createPostgresHooks(test.database),
      reopen: async () => createPostgresHooks(other),
      suspend: async (tenant: string) => void (await setSuspended(tenant, new Date())),
    };
  };
  for (const { name, run } of hooksConformance(open)) it(name, run);

  it.runIf(kind === "server")("are found by an index, however many there are", async () => {
    await open();
    await sql`insert into toolwright.hooks select 'acme', 'hook_' || n, 'name-' || n, 'assistant', 'log', null, null, 'secret', '{}', now()
      from generate_series(1, 5000) as n`.execute(test.database.owner);
    await sql`vacuum analyze toolwright.hooks`.execute(test.database.owner);
    const plan = await test.database.asSystem((query) => explain(query, selectHook(query, "hook_7").compile()));
    expect(plan).toMatch(/hooks_by_id/);
    expect(plan).not.toMatch(/Seq Scan on hooks/);
  });
});
