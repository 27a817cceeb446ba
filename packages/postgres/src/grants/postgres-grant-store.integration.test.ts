import type { GrantRecord } from "@toolwright/engine/ports";
import { grantStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresGrantStore } from "./postgres-grant-store.ts";

const record = (id: string, maxUses: number): GrantRecord => ({
  id,
  tenant: "acme",
  tool: "exec",
  definition: "d",
  scope: { kind: "tenant" },
  allows: [{ kind: "command", pattern: "npm test" }],
  by: { kind: "user", id: "ann" },
  createdAt: 1,
  expiresAt: 1_000,
  maxUses,
});

describe.each(testDatabaseKinds)("grants in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.grants`.execute(query));
    const store = createPostgresGrantStore(test.database);
    return { store, reopen: async () => createPostgresGrantStore(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of grantStoreConformance(open)) it(name, run);
});

describe("grants of two processes on one server", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("are never used more often than they may be, and not after a revocation", async () => {
    const one = createPostgresGrantStore(test.database);
    const two = createPostgresGrantStore(await test.reopen());
    await one.create(record("grt_1", 30));
    const uses = await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 ? one : two).use("acme", "grt_1", 5)));
    expect(uses.filter(Boolean)).toHaveLength(30);
    await one.create(record("grt_2", 1_000));
    const racing = Array.from({ length: 50 }, () => two.use("acme", "grt_2", 5));
    const revoked = await Promise.all([one, two].map((store) => store.revoke("acme", "grt_2", { by: { kind: "user", id: "ann" }, at: 6 })));
    const counted = (await Promise.all(racing)).filter(Boolean).length;
    expect(revoked.filter(Boolean)).toHaveLength(1);
    expect(await one.use("acme", "grt_2", 7)).toBe(false);
    expect((await two.get("acme", "grt_2"))?.used).toBe(counted);
  });
});
