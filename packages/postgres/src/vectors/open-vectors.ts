import { type Kysely, sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { type VectorSource, vectorSchema, vectorSources } from "./vector-source.ts";
import { makeVectorTable, quoted } from "./vector-tables.ts";

/** Where vectors are kept, or why there can be none. */
export type VectorSupport =
  | { readonly schema: string; readonly version: string; readonly unavailable?: undefined }
  | { readonly schema?: undefined; readonly version?: undefined; readonly unavailable: string };

/** The first one that has `halfvec`. */
const leastVersion = "0.7";

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
    const lacking = whatLacks(found);
    if (lacking !== undefined) return unavailable(lacking);
    const isWhole = found.schema !== null && found.isOpen && found.missing.length === 0;
    const { schema, version } = isWhole ? found : await owner.transaction().execute((query) => make(query, sources));
    if (schema === null || version === null) return unavailable("the extension vector was made and is not there.");
    return { schema, version };
  } catch (error) {
    return unavailable(`${error instanceof Error ? error.message : String(error)}. ${asAdministrator} CREATE EXTENSION vector;`);
  }
}

/** Why the database can keep no vectors as it stands, in a sentence; changes nothing. That the extension may be made shows when it is. */
export async function whyNoVectors({ owner }: Pick<Database, "owner">): Promise<string | undefined> {
  const lacking = whatLacks(await look(owner, vectorSources));
  return lacking === undefined ? undefined : unavailable(lacking).unavailable;
}

const unavailable = (why: string): VectorSupport => ({ unavailable: `Vectors took no part: ${why}` });

interface Found {
  /** Schema of the extension, where the database has it. */
  readonly schema: string | null;
  readonly version: string | null;
  readonly hasHalves: boolean;
  /** Our roles may use its schema, or this user may let them. */
  readonly isOpen: boolean | null;
  readonly mayOpen: boolean | null;
  /** What the server could make. */
  readonly available: string | null;
  readonly missing: readonly string[];
}

async function look(db: Kysely<Tables>, sources: readonly VectorSource[]): Promise<Found> {
  const names = sources.map(({ name }) => name);
  const { rows } = await sql<Found>`select n.nspname as schema, e.extversion as version,
    exists (select from pg_type where typnamespace = n.oid and typname = 'halfvec') as "hasHalves",
    (select bool_and(has_schema_privilege(oid, n.oid, 'usage')) from pg_roles where rolname in ('toolwright_tenant', 'toolwright_system')) as "isOpen",
    has_schema_privilege(n.oid, 'usage with grant option') as "mayOpen",
    case when e.oid is null then (select default_version from pg_available_extensions where name = 'vector') end as available,
    array(select name from unnest(${names}::text[]) as name where not exists (select from pg_attribute
      where attrelid = to_regclass(${vectorSchema} || '.' || quote_ident(name)) and attname = 'signs' and not attisdropped)) as missing
    from (select) as one left join pg_extension e on e.extname = 'vector' left join pg_namespace n on n.oid = e.extnamespace`.execute(db);
  return rows[0] as Found;
}

const install = `Install pgvector ${leastVersion} or newer`;
const asAdministrator = "As an administrator of the database run:";

/** What only an administrator can change. */
function whatLacks({ schema, version, hasHalves, isOpen, mayOpen, available }: Found): string | undefined {
  if (schema !== null) {
    if (!hasHalves)
      return `the extension vector of the database is version ${version}, without halfvec. ${install}. ${asAdministrator} ALTER EXTENSION vector UPDATE;`;
    if (isOpen || mayOpen) return undefined;
    return `the extension vector is in the schema ${schema}, which is closed to Toolwright. ${asAdministrator} ${openSchema(schema)};`;
  }
  const create = `${asAdministrator} CREATE EXTENSION vector;`;
  if (available === null) return `the database has no extension vector. ${install}. ${create}`;
  const isOld = available.localeCompare(leastVersion, "en", { numeric: true }) < 0;
  return isOld ? `the extension vector of the server is version ${available}, without halfvec. ${install}. ${create}` : undefined;
}

const openSchema = (schema: string) => `GRANT USAGE ON SCHEMA ${quoted(schema)} TO toolwright_tenant, toolwright_system`;

/** One process at a time. */
async function make(db: Kysely<Tables>, sources: readonly VectorSource[]): Promise<Found> {
  await sql`select pg_advisory_xact_lock(hashtext('toolwright vectors'))`.execute(db);
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run(`CREATE SCHEMA IF NOT EXISTS ${vectorSchema}`);
  await run(openSchema(vectorSchema));
  await run(`CREATE EXTENSION IF NOT EXISTS vector SCHEMA ${vectorSchema}`);
  const found = await look(db, sources);
  const { schema, isOpen, missing } = found;
  if (schema === null) return found;
  if (!isOpen) await run(openSchema(schema));
  for (const source of sources)
    if (missing.includes(source.name)) for (const statement of makeVectorTable(source, schema)) await run(statement);
  return found;
}
