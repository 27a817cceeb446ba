import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { openVectors, type VectorSupport } from "../vectors/open-vectors.ts";

/** An extension of the database: where it stands. */
export interface Extension {
  readonly schema: string;
  readonly version: string;
}

/** What searches use, where the database has it and tenants may use it. */
export interface SearchAids {
  /** The schema of `pg_trgm`. */
  readonly trigrams: string | undefined;
  readonly vectors: Extension | undefined;
}

interface AidsFinder {
  vectors(): Promise<VectorSupport>;
  aids(): Promise<SearchAids>;
}

/** Looks once, when they are first asked for: most processes search nothing, and to look takes a first query as long as many others. */
export function createAidsFinder(database: Database): AidsFinder {
  let vectors: Promise<VectorSupport> | undefined;
  let aids: Promise<SearchAids> | undefined;
  const findVectors = () => {
    vectors ??= openVectors(database);
    return vectors;
  };
  const find = async () => {
    const support = await findVectors();
    return { ...(await readSearchAids(database)), vectors: support.unavailable === undefined ? support : undefined };
  };
  return {
    vectors: findVectors,
    aids() {
      aids ??= find().catch((error: unknown) => {
        aids = undefined;
        throw error;
      });
      return aids;
    },
  };
}

export async function readSearchAids({ owner }: Pick<Database, "owner">): Promise<SearchAids> {
  const { rows } = await sql<Extension & { name: string }>`
    select e.extname as name, n.nspname as schema, e.extversion as version from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname in ('pg_trgm', 'vector') and has_schema_privilege('toolwright_tenant', n.oid, 'USAGE')`.execute(owner);
  const find = (extension: string) => rows.find(({ name }) => name === extension);
  return { trigrams: find("pg_trgm")?.schema, vectors: find("vector") };
}
