import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { delayAnswer } from "../testing/delay-answer.ts";
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
    const slow = delayAnswer(test.database);
    const cache = await openCatalogueCache(slow, { warn: () => {}, decides: true });
    const agents = () => [...(cache.of("acme")?.agents.keys() ?? [])].sort();
    expect(agents()).toEqual(["first"]);
    const { answered, release } = slow.delayNext();
    const late = cache.refresh(["acme"]);
    await answered;
    await addAgent("second");
    await cache.refresh(["acme"]);
    release();
    await late;
    expect(agents()).toEqual(["first", "second"]);
    cache.close();
  });
});
