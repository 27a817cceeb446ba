import { createManualClock, sealKeysConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { choresAt, removeRows } from "../retention/chores.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresSealKeys } from "./postgres-seal-keys.ts";

const day = 24 * 60 * 60 * 1000;

describe.each(testDatabaseKinds)("keys that seal in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const clock = createManualClock(Date.now());
  const another = () => createPostgresSealKeys(test.database, { clock });
  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.seal_keys`.execute(query));
    return { keys: another(), reopen: async () => another() };
  };
  for (const { name, run } of sealKeysConformance(open)) it(name, run);

  it("makes one key for processes that need it at the same moment", async () => {
    const { keys } = await open();
    const all = await Promise.all([keys, another(), another(), another()].map((each) => each.current()));
    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
  });

  it("takes another key after a day, and opens with the old one for days more", async () => {
    const { keys } = await open();
    const first = await keys.current();
    await clock.advance(day);
    const second = await another().current();
    expect(second.id).not.toBe(first.id);
    expect((await keys.current()).id).toBe(second.id);
    await clock.advance(2 * day);
    expect(await another().find(first.id)).toEqual(first);
  });

  it("forgets keys that nothing is sealed with any more", async () => {
    const { keys } = await open();
    const { id } = await keys.current();
    await clock.advance(8 * day);
    const chore = choresAt(clock.now(), { overMs: 30 * day }).find(({ table }) => table === "seal_keys");
    if (!chore) throw new Error("Nobody tidies up.");
    await test.database.asSystem((query) => removeRows(query, chore));
    expect(await another().find(id)).toBeUndefined();
    expect((await keys.current()).id).not.toBe(id);
  });
});
