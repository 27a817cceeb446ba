import { makeEvent } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
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
