import { sql } from "kysely";
import { vectorSchema } from "../vectors/vector-source.ts";
import type { Database } from "./database.ts";

/** Tables that say how the database was made: no role of ours may read them. */
export const tablesOfTheDatabase = ["kysely_migration", "kysely_migration_lock", "migration_notes"] as const;

/** Tables without row-level security that binds everybody, or without a policy; each with its schema. */
export async function findUnprotected({ owner }: Pick<Database, "owner">): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any(${["toolwright", vectorSchema]}::text[]) and c.relkind in ('r', 'p')
      and not (n.nspname = 'toolwright' and c.relname = any(${tablesOfTheDatabase}::text[]))
      and not (c.relrowsecurity and c.relforcerowsecurity and exists (select from pg_policy p where p.polrelid = c.oid))
    order by 1`.execute(owner);
  return rows.map(({ name }) => name);
}
