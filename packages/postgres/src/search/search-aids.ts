import { sql } from "kysely";
import type { Database } from "../database/database.ts";

/** Schemas of the extensions that searches use, where the database has them and tenants may use them. */
export interface SearchAids {
  /** Of `pg_trgm`. */
  readonly trigrams: string | undefined;
  /** Of `vector`. */
  readonly vectors: string | undefined;
}

export async function readSearchAids({ owner }: Pick<Database, "owner">): Promise<SearchAids> {
  const { rows } = await sql<{ name: string; schema: string }>`
    select e.extname as name, n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname in ('pg_trgm', 'vector') and has_schema_privilege('toolwright_tenant', n.oid, 'USAGE')`.execute(owner);
  const schemaOf = (extension: string) => rows.find(({ name }) => name === extension)?.schema;
  return { trigrams: schemaOf("pg_trgm"), vectors: schemaOf("vector") };
}
