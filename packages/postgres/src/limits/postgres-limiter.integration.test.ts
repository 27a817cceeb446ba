import { limiterConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresLimiter } from "./postgres-limiter.ts";

describe.each(testDatabaseKinds)("rates in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.rate_counters`.execute(query));
    const limiter = createPostgresLimiter(test.database);
    return { limiter, reopen: async () => createPostgresLimiter(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of limiterConformance(open)) it(name, run);

  it("counts for a key of any text", async () => {
    const { limiter } = await open();
    const subject = { tenant: "acme", key: "a\u0000\ud800/act" };
    expect((await limiter.reserve(subject, { count: 1, windowMs: 10 }, 5)).granted).toBe(true);
    expect(await limiter.reserve(subject, { count: 1, windowMs: 10 }, 6)).toEqual({ granted: false, retryAfterMs: 9 });
  });

  it("gives back what counts no more without a word, and nothing of others", async () => {
    await open();
    const warnings: string[] = [];
    const limiter = createPostgresLimiter(test.database, { warn: (message) => void warnings.push(message) });
    const subject = { tenant: "acme", key: "ann/act" };
    const once = { count: 1, windowMs: 10 };
    const early = await limiter.reserve(subject, once, 5);
    await limiter.reserve(subject, once, 20);
    if (early.granted) await early.release();
    expect(warnings).toEqual([]);
    expect((await limiter.reserve(subject, once, 21)).granted).toBe(false);
  });
});

describe("rates of two processes on one server", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("grant exactly the count to 100 that come at once, and again what was given back (R-AU-5)", async () => {
    const limiters = [createPostgresLimiter(test.database), createPostgresLimiter(await test.reopen())];
    const reserve = (n: number) =>
      limiters[n % 2]?.reserve({ tenant: "acme", key: "ann/act" }, { count: 10, windowMs: 1_000 }, 5_000 + (n % 3));
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => reserve(n)));
    const granted = all.flatMap((reservation) => (reservation?.granted ? [reservation] : []));
    expect(granted).toHaveLength(10);
    await Promise.all(granted.slice(0, 4).map((reservation) => reservation.release()));
    const again = await Promise.all(Array.from({ length: 100 }, (_, n) => reserve(n)));
    expect(again.filter((reservation) => reservation?.granted)).toHaveLength(4);
  });
});
