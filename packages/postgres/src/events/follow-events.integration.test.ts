import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { makeEvent, readAll } from "../testing/make-events.ts";
import { followEvents } from "./follow-events.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";

/** Reads until `count` events came, and stops. */
async function take(database: Database, count: number, options: Partial<Parameters<typeof followEvents>[1]>): Promise<readonly string[]> {
  const stop = new AbortController();
  const seen: string[] = [];
  for await (const { event, sequence } of followEvents(database, { tenant: "acme", ...options }, stop.signal)) {
    seen.push(`${event.session} ${sequence}`);
    if (seen.length === count) stop.abort();
  }
  return seen;
}

const expected = (session: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${session} ${from + index}`);
const ofSession = (seen: readonly string[], session: string) => seen.filter((name) => name.startsWith(`${session} `));

describe.each(testDatabaseKinds)("following the log, %s", (kind) => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await openTestDatabase(kind);
  });
  afterEach(() => test.cleanup());
  const add = (database: Database, session: string, count: number) => {
    const log = createPostgresEventLog(database, "p1");
    return Promise.all(
      Array.from({ length: count }, (_, n) => log.append([makeEvent({ session, at: n, callId: `${session}_${n}_${Math.random()}` })])),
    );
  };

  it("gives what is written from now on, of every session of the tenant and of no other tenant", async () => {
    await add(test.database, "s1", 2);
    const ready = Promise.withResolvers<void>();
    const taken = take(test.database, 4, { onReady: ready.resolve });
    await ready.promise;
    await createPostgresEventLog(test.database, "p1").append([makeEvent({ tenant: "other" })]);
    await add(test.database, "s1", 2);
    await add(test.database, "s2", 2);
    expect([...(await taken)].sort()).toEqual([...expected("s1", 3, 4), ...expected("s2", 1, 2)]);
  });

  it("gives one session from a place on", async () => {
    await add(test.database, "s1", 5);
    await add(test.database, "s2", 5);
    expect(await take(test.database, 3, { session: "s1", after: 2 })).toEqual(expected("s1", 3, 5));
  });

  it("ends when its signal aborts while nothing happens", async () => {
    const stop = new AbortController();
    const following = readAll(followEvents(test.database, { tenant: "acme", onReady: () => stop.abort() }, stop.signal));
    expect(await following).toEqual([]);
  });
});

describe("following the log over several processes", () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await openTestDatabase("server");
  });
  afterEach(() => test.cleanup());

  it("misses and doubles nothing when two processes write and connections are cut", async () => {
    const other = await test.reopen();
    const each = 150;
    const readies = [test.database, other].map((database) => ({ database, ready: Promise.withResolvers<void>() }));
    const taking = readies.map(({ database, ready }) => take(database, 4 * each, { onReady: ready.resolve }));
    await Promise.all(readies.map(({ ready }) => ready.promise));
    const logs = [test.database, other].map((database, index) => createPostgresEventLog(database, `p${index}`));
    const writing = logs.flatMap((log, index) =>
      ["s1", "s2"].map(async (session) => {
        for (let n = 0; n < each; n += 1) {
          await log.append([makeEvent({ session, at: n, callId: `${session}_${index}_${n}` })]);
          if (n % 50 === 25 && index === 0)
            await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
              .execute(test.database.owner)
              .catch(() => undefined);
        }
      }),
    );
    await Promise.all(writing);
    for (const seen of await Promise.all(taking))
      for (const session of ["s1", "s2"]) expect(ofSession(seen, session)).toEqual(expected(session, 1, 2 * each));
  });
});
