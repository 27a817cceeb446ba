import type { Limiter, RateSubject } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

interface PostgresLimiterOptions {
  readonly warn?: (message: string) => void;
}

/** Sliding windows in PostgreSQL, one row for each subject: its lock counts one reservation after the other, over all processes. */
export function createPostgresLimiter(database: Database, { warn }: PostgresLimiterOptions = {}): Limiter {
  return {
    count: ({ tenant, key }, windowMs, now) =>
      database.asTenant(tenant, async (query) => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from toolwright.rate_counters, unnest(times) as reserved(at)
          where tenant = ${tenant} and key = ${storableText(key)} and reserved.at > ${Math.round(now) - windowMs}::bigint`.execute(query);
        return rows[0]?.count ?? 0;
      }),
    async reserve(given, { count, windowMs }, now) {
      const subject = { ...given, key: storableText(given.key) };
      const at = Math.round(now);
      const waitMs = await database.asTenant(subject.tenant, async (query) => {
        const { rows } = await sql<{ wait: number }>`
          select toolwright.reserve_rate(${subject.tenant}, ${subject.key}, ${count}::int, ${windowMs}::bigint, ${at}::bigint) as wait`.execute(
          query,
        );
        return rows[0]?.wait ?? 0;
      });
      if (waitMs > 0) return { granted: false, retryAfterMs: waitMs };
      let released = false;
      return {
        granted: true,
        async release() {
          if (released) return;
          released = true;
          try {
            await giveBack(database, subject, at);
          } catch (error) {
            // It counts until its window ends, which errs on the side of the limit.
            warn?.(`A rate of ${subject.key} could not be given back: ${String(error)}`);
          }
        },
      };
    },
  };
}

function giveBack(database: Database, { tenant, key }: RateSubject, at: number): Promise<unknown> {
  return database.asTenant(tenant, (query) =>
    sql`update toolwright.rate_counters set times = times[:array_position(times, ${at}::bigint) - 1] || times[array_position(times, ${at}::bigint) + 1:]
      where tenant = ${tenant} and key = ${key} and ${at}::bigint = any(times)`.execute(query),
  );
}
