import { ToolwrightError } from "@toolwright/engine/errors";
import { type Kysely, sql } from "kysely";
import type { Database } from "../database/database.ts";
import type { Tables } from "../database/tables.ts";
import { nameNearIndex, nearPrefix, type VectorGroup, writeNearIndex } from "./near-index.ts";
import { openVectors } from "./open-vectors.ts";
import { mostVectors, type VectorSource, vectorSchema, vectorSources } from "./vector-source.ts";

export interface KeptVectors extends VectorGroup {
  readonly vectors: number;
}

/** A group of vectors that is too large to compare all of them. */
export interface NearIndex extends KeptVectors {
  /** `made` now, there before, or not to be had: its vectors have too many dimensions. */
  readonly state: "made" | "kept" | "impossible";
}

export interface VectorsReport {
  /** Schema of the extension. */
  readonly schema: string;
  readonly version: string;
  /** All vectors, by the kind of what they are of. */
  readonly vectors: Readonly<Record<string, number>>;
  readonly indexes: readonly NearIndex[];
  /** Indexes that no search asks for any more, or that were not finished. */
  readonly removed: number;
}

export interface MakeIndexesOptions {
  /** Hears of each index before it is made, which takes minutes where there are millions. */
  readonly onMake?: (group: KeptVectors) => void;
  readonly signal?: AbortSignal;
}

/** What an index of `halfvec` takes at most. */
const mostDimensions = 4_000;
/** An index is made many times faster where it fits into memory: bytes of a row beside its numbers, and what is asked of a server at most. */
const [rowBytes, mostMegabytes] = [600, 1_024];

/**
 * Makes an index of nearness for each group of vectors that is too large to compare all of them, one after the other, and removes those that no search
 * asks for. Others read and write meanwhile. Once the signal aborts it ends, and what was finished stays.
 */
export async function makeNearIndexes(database: Database, { onMake = () => {}, signal }: MakeIndexesOptions = {}): Promise<VectorsReport> {
  const { schema, version, unavailable } = await openVectors(database);
  if (schema === undefined) throw new ToolwrightError("server_unavailable", unavailable);
  const groups = (await Promise.all(vectorSources.map((source) => countGroups(database, source, schema)))).flat();
  const large = groups.filter(({ vectors }) => vectors >= mostVectors);
  return database.owner.connection().execute(async (db) => {
    await lockOut(db);
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    const cancel = () => void sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(database.owner).catch(() => {});
    signal?.addEventListener("abort", cancel);
    try {
      const removed = await removeOthers(db, large);
      const indexes: NearIndex[] = [];
      for (const group of large) {
        const state = await makeOne(db, group, { schema, onMake, signal });
        if (state === undefined) break;
        indexes.push({ ...group, state });
      }
      return {
        schema,
        version,
        vectors: Object.fromEntries(vectorSources.map(({ name }) => [name, sumOf(groups, name)])),
        indexes,
        removed,
      };
    } finally {
      signal?.removeEventListener("abort", cancel);
      await sql`select pg_advisory_unlock(${lock})`.execute(db);
    }
  });
}

const sumOf = (groups: readonly KeptVectors[], name: string) =>
  groups.filter(({ of }) => of === name).reduce((sum, { vectors }) => sum + vectors, 0);

async function countGroups(database: Database, { name, searchedBy }: VectorSource, schema: string): Promise<readonly KeptVectors[]> {
  const owner = searchedBy === undefined ? sql`null::text` : sql`owner`;
  const { rows } = await database.asSystem((query) =>
    sql<KeptVectors>`select ${name}::text as of, tenant, ${owner} as owner, model, dimensions, count(*)::int as vectors
      from (select *, ${sql.id(schema, "vector_dims")}(embedding) as dimensions from ${sql.table(`${vectorSchema}.${name}`)}) as vector
      group by 2, 3, 4, 5 order by vectors desc, 2, 3, 4, 5`.execute(query),
  );
  return rows;
}

const lock = sql`hashtext('toolwright indexes of vectors')`;

/** Who waited for it would be waited for by the making of the index, too. */
async function lockOut(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ isOurs: boolean }>`select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(db);
  if (!rows[0]?.isOurs)
    throw new ToolwrightError(
      "server_unavailable",
      "Another process makes the indexes of vectors. Wait until it is done; db vectors says then what there is.",
    );
}

/** Those that no search asks for any more, and those whose making did not come to its end. */
async function removeOthers(db: Kysely<Tables>, groups: readonly KeptVectors[]): Promise<number> {
  const { rows } = await sql<{ name: string }>`select c.relname as name from pg_class c join pg_index i on i.indexrelid = c.oid
    where c.relnamespace = ${vectorSchema}::regnamespace and starts_with(c.relname, ${nearPrefix})
      and (not i.indisvalid or c.relname <> all(${groups.map(nameNearIndex)}::text[]))`.execute(db);
  for (const { name } of rows) await dropIndex(db, name);
  return rows.length;
}

const dropIndex = (db: Kysely<Tables>, name: string) => sql`drop index concurrently if exists ${sql.id(vectorSchema, name)}`.execute(db);

interface MakeOptions extends Required<Pick<MakeIndexesOptions, "onMake">>, Pick<MakeIndexesOptions, "signal"> {
  readonly schema: string;
}

/** Nothing once the signal aborts. */
async function makeOne(
  db: Kysely<Tables>,
  group: KeptVectors,
  { schema, onMake, signal }: MakeOptions,
): Promise<NearIndex["state"] | undefined> {
  if (signal?.aborted) return undefined;
  if (group.dimensions > mostDimensions) return "impossible";
  const name = nameNearIndex(group);
  const { rows } = await sql`select from pg_class where relname = ${name} and relnamespace = ${vectorSchema}::regnamespace`.execute(db);
  if (rows.length > 0) return "kept";
  onMake(group);
  const megabytes = Math.min(Math.ceil((group.vectors * (2 * group.dimensions + rowBytes)) / 2 ** 20), mostMegabytes);
  await sql`select set_config('maintenance_work_mem', greatest(pg_size_bytes(current_setting('maintenance_work_mem')) / 1024, ${megabytes * 1024}::int)::text, false)`.execute(
    db,
  );
  const statement = await writeNearIndex(db, { schema, group });
  try {
    await sql.raw(statement).execute(db);
    return "made";
  } catch (error) {
    // What is there of it is removed by the next run: to remove it now would wait for everybody who is at it, as the making did.
    if (signal?.aborted) return undefined;
    throw error;
  }
}
