import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Tables that say how the database was made: no role of ours may read them. */
export const tablesOfTheDatabase = ["kysely_migration", "kysely_migration_lock", "migration_notes"] as const;

/** Tables without row-level security that binds everybody, or without a policy. */
export async function findUnprotected({ owner }: Pick<Database, "owner">): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'toolwright'::regnamespace and c.relkind in ('r', 'p') and c.relname <> all(${tablesOfTheDatabase}::text[])
      and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
    order by 1`.execute(owner);
  return rows.map(({ name }) => name);
}
