import { systemClock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createReadinessCheck } from "./check-readiness.ts";

describe.each(testDatabaseKinds)("readiness, %s", (kind) => {
  let test: TestDatabase;
  const open = async () => {
    test = await openTestDatabase(kind);
    return { db: test.database.owner, check: createReadinessCheck(test.database, systemClock) };
  };
  afterEach(() => test.cleanup());

  it("finds nothing wrong with a database of this version", async () => {
    const { check } = await open();
    expect(await check()).toEqual({ migrations: undefined, jobs: undefined });
  });

  it("goes on beside a newer version that changed nothing for this one", async () => {
    const { db, check } = await open();
    await sql`insert into toolwright.migration_notes (name, breaking, checksum) values ('9998_later', false, 'x')`.execute(db);
    expect((await check()).migrations).toBeUndefined();
  });

  it("names the change of a newer version that this one cannot work with", async () => {
    const { db, check } = await open();
    await sql`insert into toolwright.migration_notes (name, breaking, checksum) values ('9999_later', true, 'x')`.execute(db);
    expect((await check()).migrations).toContain("changed by a newer version (9999_later)");
  });

  it("names what an older backup lacks", async () => {
    const { db, check } = await open();
    const { rows } = await sql<{ name: string }>`
      delete from toolwright.migration_notes where name = (select max(name) from toolwright.migration_notes) returning name`.execute(db);
    expect((await check()).migrations).toBe(`The database lacks the migration ${rows[0]?.name}. Start this server again to apply it.`);
  });

  it("says why jobs cannot be read", async () => {
    const { db, check } = await open();
    await sql`alter table toolwright.jobs rename to jobs_elsewhere`.execute(db);
    expect(await check()).toEqual({ migrations: undefined, jobs: expect.stringContaining("does not have the tables") });
  });
});
