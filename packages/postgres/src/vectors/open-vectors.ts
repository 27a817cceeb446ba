import { type Kysely, sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { type VectorSource, vectorSchema, vectorSources } from "./vector-source.ts";
import { makeVectorTable } from "./vector-tables.ts";

/** Where vectors are kept, or why there can be none. */
export type VectorSupport =
  | { readonly schema: string; readonly unavailable?: undefined }
  | { readonly schema?: undefined; readonly unavailable: string };

const remedy = "As an administrator of the database run: CREATE EXTENSION vector;";

/**
 * Makes what is missing to keep vectors. They stand in a schema of their own, outside of migrations and backups: a database without the extension could
 * read neither their column nor a table with an index on it, and all of them can be made again.
 */
export async function openVectors(
  { owner }: Pick<Database, "owner">,
  sources: readonly VectorSource[] = vectorSources,
): Promise<VectorSupport> {
  try {
    const found = await look(owner, sources);
    if (found.schema !== null && found.missing.length === 0) return { schema: found.schema };
    if (found.schema === null && !found.isAvailable)
      return { unavailable: `Vectors took no part: the database has no extension vector. Install pgvector. ${remedy}` };
    const schema = await owner.transaction().execute((query) => make(query, sources));
    return { schema };
  } catch (error) {
    return { unavailable: `Vectors took no part: ${error instanceof Error ? error.message : String(error)}. ${remedy}` };
  }
}

interface Found {
  readonly schema: string | null;
  readonly isAvailable: boolean;
  readonly missing: readonly string[];
}

async function look(db: Kysely<Tables>, sources: readonly VectorSource[]): Promise<Found> {
  const names = sources.map(({ name }) => name);
  const { rows } = await sql<Found>`select
    (select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector') as schema,
    case when exists (select from pg_extension where extname = 'vector') then true
      else exists (select from pg_available_extensions where name = 'vector') end as "isAvailable",
    array(select name from unnest(${names}::text[]) as name where to_regclass(${vectorSchema} || '.' || quote_ident(name)) is null) as missing`.execute(
    db,
  );
  return rows[0] as Found;
}

/** One process at a time. */
async function make(db: Kysely<Tables>, sources: readonly VectorSource[]): Promise<string> {
  await sql`select pg_advisory_xact_lock(hashtext('toolwright vectors'))`.execute(db);
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run(`CREATE SCHEMA IF NOT EXISTS ${vectorSchema}`);
  await run(`GRANT USAGE ON SCHEMA ${vectorSchema} TO toolwright_tenant, toolwright_system`);
  await run(`CREATE EXTENSION IF NOT EXISTS vector SCHEMA ${vectorSchema}`);
  const { schema, missing } = await look(db, sources);
  if (schema === null) throw new Error("The extension was made and is not there");
  for (const source of sources)
    if (missing.includes(source.name)) for (const statement of makeVectorTable(source, schema)) await run(statement);
  return schema;
}
