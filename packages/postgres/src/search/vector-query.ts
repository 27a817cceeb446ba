import type { SearchQuery } from "@toolwright/engine/ports";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { writeVector } from "../vectors/vector-index.ts";
import { type VectorSource, vectorTable } from "../vectors/vector-source.ts";
import type { Extension } from "./search-aids.ts";

export interface VectorSearch {
  readonly vector: NonNullable<SearchQuery["vector"]>;
  readonly source: VectorSource;
  readonly support: Extension;
  readonly view: string;
  readonly id: RawBuilder<string>;
  readonly where: RawBuilder<SqlBool>;
  /** Compares the vectors of these alone. */
  readonly among?: readonly VectorRow[];
}

/** A row as its table of vectors names it. */
export interface VectorRow {
  readonly owner: string;
  readonly own: string;
}

export interface FoundVectors {
  readonly near: readonly (readonly [id: string, cosine: number])[];
  readonly alike: readonly (readonly [one: string, other: string, cosine: number])[];
}

export const [mostNear, leastCosine] = [60, 0.2];
/** Rows of one statement. The embedded database does nothing else meanwhile, nor does its process: about 25 ms. */
const slice = 2_500;
/** Nearest ones that are compared with each other, and how near two are that count. */
const [mostCompared, leastAlike] = [12, 0.7];

export interface Near extends VectorRow {
  readonly id: string;
  readonly cosine: number;
}
interface Slice {
  readonly near: readonly Near[];
  /** Where the next slice begins. */
  readonly last: VectorRow | null;
}

/** The rows whose vectors are nearest, by comparing all there are. Vectors of another model, of other dimensions or of an older text do not count. */
export async function findByVector(query: Query, search: VectorSearch): Promise<FoundVectors> {
  let near: readonly Near[] = [];
  for (let after: Slice["last"] | undefined; after !== null; ) {
    const { rows } = await sql<Slice>`${selectSlice(search, after)}`.execute(query);
    near = [...near, ...(rows[0]?.near ?? [])].sort((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)).slice(0, mostNear);
    after = rows[0]?.last ?? null;
  }
  return withAlike(query, search, near);
}

/** The nearest of them are compared with each other, too. */
export async function withAlike(query: Query, search: VectorSearch, near: readonly Near[]): Promise<FoundVectors> {
  const compared = near.slice(0, mostCompared);
  return {
    near: near.map(({ id, cosine }) => [id, cosine] as const),
    alike: compared.length > 1 ? await compare(query, search, compared) : [],
  };
}

/** The row of the view that a vector belongs to; one of an older text belongs to none. */
export const joinEntry = ({ view, source }: VectorSearch, vector: string) => sql`join ${sql.table(view)} as entry
      on ${sql.ref(`entry.${source.owner}`)} = ${sql.ref(`${vector}.owner`)} and ${sql.ref(`entry.${source.id}`)} = ${sql.ref(`${vector}.id`)}
      and ${sql.ref(`entry.${source.mark}`)} = ${sql.ref(`${vector}.mark`)}`;

function selectSlice(search: VectorSearch, after: Slice["last"] | undefined) {
  const { vector, source, id, where, among, support } = search;
  const { schema } = support;
  // A function of the policy would be asked for each row.
  const owned = source.searchedBy === undefined ? sql`` : sql`and vector.owner = current_setting(${sql.lit(source.searchedBy)}, true)`;
  const from = after ? sql`and (vector.owner, vector.id) > (${after.owner}, ${after.own}::${sql.raw(source.idType)})` : sql``;
  const some = among ? sql`and (vector.owner, vector.id) in (select * from ${unnest(among, source)})` : sql``;
  const asked = sql`${writeVector(vector.value)}::${sql.id(schema, "halfvec")}`;
  return sql`with slice as materialized (
    select vector.owner, vector.id, vector.mark, vector.embedding from ${vectorTable(source)} as vector
    where vector.tenant = toolwright.current_tenant() and vector.model = ${vector.model} ${owned} ${from} ${some}
    order by vector.owner, vector.id limit ${sql.lit(slice)}
  ), compared as materialized (
    select owner, id, mark, -(embedding operator(${sql.id(schema)}.<#>) ${asked})::float8 as cosine from slice
    where ${sql.id(schema, "vector_dims")}(embedding) = ${vector.value.length}
  ), near as (
    select ${id} as id, compared.owner, compared.id::text as own, compared.cosine from compared ${joinEntry(search, "compared")}
    where compared.cosine >= ${sql.lit(leastCosine)} and ${where} order by cosine desc limit ${sql.lit(mostNear)}
  )
  select (select coalesce(json_agg(near), '[]') from near) as near,
    (select json_build_object('owner', owner, 'own', id::text) from slice offset ${sql.lit(slice - 1)}) as last`;
}

/** Pairs of found ones that are near each other. */
async function compare(
  query: Query,
  { source, support: { schema } }: VectorSearch,
  found: readonly Near[],
): Promise<FoundVectors["alike"]> {
  const cosine = sql`-(one.embedding operator(${sql.id(schema)}.<#>) other.embedding)`;
  const { rows } = await sql<{ alike: FoundVectors["alike"] }>`with found as materialized (
    select given.id, vector.embedding, ${sql.id(schema, "vector_dims")}(vector.embedding) as dims
    from rows from (unnest(${found.map(({ id }) => id)}::text[]), ${unnest(found, source)}) as given(id, owner, own)
    join ${vectorTable(source)} as vector
      on vector.tenant = toolwright.current_tenant() and vector.owner = given.owner and vector.id = given.own
  ), pairs as (
    select one.id as one, other.id as other, (case when one.dims = other.dims then ${cosine} end)::float8 as cosine
    from found as one join found as other on one.id < other.id
  ) select coalesce(json_agg(json_build_array(one, other, cosine)), '[]') as alike from pairs where cosine >= ${sql.lit(leastAlike)}`.execute(
    query,
  );
  return rows[0]?.alike ?? [];
}

const unnest = (rows: readonly VectorRow[], { idType }: VectorSource) =>
  sql`unnest(${rows.map(({ owner }) => owner)}::text[], ${rows.map(({ own }) => own)}::text[]::${sql.raw(idType)}[])`;
