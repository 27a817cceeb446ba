import { randomBytes } from "node:crypto";
import { createManualClock } from "@toolwright/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createKeyring, toMasterKey } from "./keyring.ts";
import { createPostgresSecretStore } from "./postgres-secret-store.ts";

const keyring = createKeyring([toMasterKey(randomBytes(32))]);
const key = { tenant: "acme", name: "KEY" };

describe.each(testDatabaseKinds)("uses of secrets in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async (clock = createManualClock(Date.now())) => {
    const store = await createPostgresSecretStore(test.database, keyring, { clock });
    await store.remove(key);
    await store.set(key, "the value itself");
    const lastUse = async () => {
      const [{ lastUsedAt, lastUsedBy } = {}] = await store.list("acme");
      return [lastUsedAt, lastUsedBy];
    };
    return { store, clock, lastUse, use: (tool: string) => store.noteUse({ ...key, agent: "coder", tool }) };
  };

  it("are written once a minute for a secret: the first at once, and the last of the others when the minute ends", async () => {
    const { store, clock, lastUse, use } = await open();
    const began = clock.now();
    use("first_tool");
    await clock.advance(1_000);
    for (const tool of ["second_tool", "third_tool"]) use(tool);
    expect(await lastUse()).toEqual([began, "first_tool"]);
    await clock.advance(59_000);
    expect(await lastUse()).toEqual([began + 1_000, "third_tool"]);
    use("fourth_tool");
    expect(await lastUse()).toEqual([began + 1_000, "third_tool"]);
    await clock.advance(60_000);
    expect(await lastUse()).toEqual([began + 60_000, "fourth_tool"]);
    await clock.advance(60_000);
    use("fifth_tool");
    expect(await lastUse()).toEqual([began + 180_000, "fifth_tool"]);
    await store.close();
  });

  it("that wait are written when the store closes", async () => {
    const { store, lastUse, use } = await open();
    for (const tool of ["first_tool", "last_tool"]) use(tool);
    await store.close();
    expect((await lastUse())[1]).toBe("last_tool");
  });

  it("do not undo a later one of another process", async () => {
    const { store, lastUse, use } = await open();
    const ahead = createManualClock(Date.now() + 5_000);
    const other = await createPostgresSecretStore(test.database, keyring, { clock: ahead });
    other.noteUse({ ...key, tool: "later_tool" });
    await other.close();
    use("earlier_tool");
    expect(await lastUse()).toEqual([ahead.now(), "later_tool"]);
    await store.close();
  });

  it("fail no call when the database is away, and are lost", async () => {
    const { store, use } = await open();
    const away = { ...test.database, asTenant: () => Promise.reject(new Error("away")) };
    const cut = await createPostgresSecretStore(away, keyring, { clock: createManualClock() });
    expect(cut.noteUse({ ...key, tool: "any_tool" })).toBeUndefined();
    await cut.close();
    use("any_tool");
    await store.close();
  });
});
