import { type Kysely, sql } from "kysely";
import type { Query } from "./database.ts";
import type { Tables } from "./tables.ts";

/** Both settings end with the transaction: `set_config` with `true` is `SET LOCAL`, and the role is a setting like any other. */
export function runAsTenant<Result>(db: Kysely<Tables>, tenant: string, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db.transaction().execute(async (query) => {
    await sql`select set_config('role', 'toolwright_tenant', true), set_config('toolwright.tenant', ${tenant}, true)`.execute(query);
    return work(query);
  });
}

export function runAsSystem<Result>(db: Kysely<Tables>, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db.transaction().execute((query) => asSystem(query, work));
}

/** The same on one snapshot: what others write meanwhile is not seen. */
export function runOnSnapshot<Result>(db: Kysely<Tables>, work: (query: Query) => Promise<Result>): Promise<Result> {
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute((query) => asSystem(query, work));
}

async function asSystem<Result>(query: Query, work: (query: Query) => Promise<Result>): Promise<Result> {
  await sql`select set_config('role', 'toolwright_system', true)`.execute(query);
  return work(query);
}
