import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { delayAnswer } from "../testing/delay-answer.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createKeyring, toMasterKey } from "./keyring.ts";
import { createPostgresSecretStore } from "./postgres-secret-store.ts";
import { openSecretCache } from "./secret-cache.ts";

describe.each(testDatabaseKinds)("what is known of secrets without asking the database, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("is not put back by an answer that a later one has overtaken", async () => {
    const store = await createPostgresSecretStore(test.database, createKeyring([toMasterKey(randomBytes(32))]));
    const before = await store.set({ tenant: "acme", name: "KEY" }, "first value");
    const slow = delayAnswer(test.database);
    const cache = await openSecretCache(slow);
    expect(String(cache.generation("acme", "KEY"))).toBe(before.generation);
    const { answered, release } = slow.delayNext();
    const late = cache.refresh("acme");
    await answered;
    const after = await store.set({ tenant: "acme", name: "KEY" }, "second value");
    await cache.refresh("acme");
    release();
    await late;
    expect(String(cache.generation("acme", "KEY"))).toBe(after.generation);
    cache.close();
    await store.close();
  });
});
