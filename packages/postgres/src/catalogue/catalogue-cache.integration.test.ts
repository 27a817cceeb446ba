import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { openCatalogueCache } from "./catalogue-cache.ts";

describe.each(testDatabaseKinds)("what is known of the catalogue without asking the database, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const addAgent = (agent: string) =>
    test.database.asTenant("acme", (query) =>
      query.insertInto("toolwright.agents").values({ tenant: "acme", agent, name: agent }).execute(),
    );

  it("is not put back by an answer that a later one has overtaken", async () => {
    await addAgent("first");
    const held = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    let isSlow = false;
    // The same database over a way on which an answer may be late, and without announcements.
    const slow: Database = {
      ...test.database,
      listen: () => () => true,
      async asSystem(work) {
        const isLate = isSlow;
        isSlow = false;
        const answer = await test.database.asSystem(work);
        if (isLate) {
          answered.resolve();
          await held.promise;
        }
        return answer;
      },
    };
    const cache = await openCatalogueCache(slow, () => {});
    const agents = () => [...(cache.of("acme")?.agents.keys() ?? [])].sort();
    expect(agents()).toEqual(["first"]);
    isSlow = true;
    const late = cache.refresh(["acme"]);
    await answered.promise;
    await addAgent("second");
    await cache.refresh(["acme"]);
    held.resolve();
    await late;
    expect(agents()).toEqual(["first", "second"]);
    cache.close();
  });
});
